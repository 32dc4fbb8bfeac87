#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Runs all cases of a GoogleTest program, in one process as long as none of them ends it.

A case that crashes or exceeds the time limit fails by name, and the cases after it run in a new
process. Prints the output of failed cases only, then the counts. RESULT gets a line for each case:
"passed NAME", "failed NAME" or "skipped NAME".

Exit status: 0 if every listed case has run and none failed, 1 otherwise.
"""

import argparse
import os
import re
import selectors
import signal
import subprocess
import sys
import time

MARK = re.compile(r"\[\s*(RUN|OK|FAILED|SKIPPED)\s*\] ([^\s,]+)")
OUTCOME = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}
HANGS = 3  # Cases that exceed the time limit before the rest is given up.
SHOWN = 200  # Lines of a failed case that are printed.


class Program:
    """A test program, its cases and what became of them."""

    def __init__(self, command, timeout, result):
        self.command = command
        self.timeout = timeout
        self.filter_file = os.path.relpath(result) + ".filter"
        self.outcomes = {}
        self.complaints = []  # (name, what happened, output)
        self.hangs = 0
        self.cases = self.listed()

    def listed(self):
        done = subprocess.run([*self.command, "--gtest_list_tests"], stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=self.timeout, check=True)
        cases, suite = [], ""
        for line in done.stdout.decode(errors="replace").splitlines():
            name = line.split("#")[0].rstrip()
            if line.startswith("  "):
                cases.append(suite + name.strip())
            elif name.endswith("."):
                suite = name
        for case in cases:
            if re.search(r"(^|\.)DISABLED_", case):
                self.outcomes[case] = "skipped"
        return cases

    def left(self):
        return [case for case in self.cases if case not in self.outcomes]

    def complain(self, name, what, lines):
        self.complaints.append((name, what, lines[-SHOWN:]))
        if name in self.cases:
            self.outcomes[name] = "failed"

    def run(self):
        while left := self.left():
            self.run_process(left)
            if self.left() == left:
                self.complain(left[0], "was not run by the program", [])
            if self.hangs == HANGS:
                for case in self.left():
                    self.complain(case, f"was not run, because {HANGS} cases exceeded their time", [])

    def run_process(self, cases):
        """One process: as many of the cases as it survives."""
        words = [*self.command, "--gtest_color=no"]
        if len(cases) < len(self.cases):
            with open(self.filter_file, "w", encoding="utf-8") as file:
                file.write("--gtest_filter=" + ":".join(cases) + "\n")
            words.append("--gtest_flagfile=" + self.filter_file)
        wanted = set(cases)
        running, output, failed = None, [], False
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                for line in lines_of(process, self.timeout):
                    if line is None:  # Too long without the end of a case.
                        self.hangs += 1
                        self.complain(running or self.command[-1], f"HUNG: no end after {self.timeout:g} s", output)
                        return
                    output.append(line)
                    for word, name in MARK.findall(line):
                        if word == "RUN" and running is None and name in wanted:
                            running, output = name, [line]
                        elif word in OUTCOME and name == running:
                            self.outcomes[name] = OUTCOME[word]
                            if word == "FAILED":
                                failed = True
                                self.complain(name, "failed", output)
                            running, output = None, []
                status = process.wait()
            finally:
                end(process)
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        if running is not None:
            self.complain(running, f"CRASHED: {how} within it", output)
        elif status != 0 and not failed:
            self.complain(self.command[-1], f"{how} after its last case", output)


def end(process):
    """Ends the process and what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def lines_of(process, limit):
    """The lines that a process prints until it ends; None, as the last, when the time limit has passed
    since the last line that begins or ends a case."""
    fd = process.stdout.fileno()
    os.set_blocking(fd, False)
    rest, since = b"", time.monotonic()
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        while True:
            over = since + limit - time.monotonic()
            if over <= 0:
                if rest:
                    yield rest.decode(errors="replace")
                yield None
                return
            ended = process.poll() is not None
            data = None
            if selector.select(0 if ended else min(over, 1)):
                data = os.read(fd, 65536)
            if data:
                *whole, rest = (rest + data).split(b"\n")
                for line in whole:
                    text = line.decode(errors="replace").rstrip("\r")
                    if MARK.search(text):
                        since = time.monotonic()
                    yield text
            elif data == b"" or ended:  # What the program has left behind may hold the pipe open.
                if rest:
                    yield rest.decode(errors="replace")
                if data == b"" and not ended:
                    try:
                        process.wait(max(over, 0))
                    except subprocess.TimeoutExpired:
                        yield None
                return


def main():
    parser = argparse.ArgumentParser(prog="run_cases.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--timeout", type=float, default=120, help="seconds that a case may take (120)")
    parser.add_argument("result", metavar="RESULT", help="the file for the outcome of each case")
    parser.add_argument("command", metavar="COMMAND", nargs=argparse.REMAINDER, help="the program")
    options = parser.parse_args()
    os.makedirs(os.path.dirname(os.path.abspath(options.result)), exist_ok=True)
    if os.path.exists(options.result):
        os.remove(options.result)

    program = Program(options.command, options.timeout, options.result)
    program.run()
    for name, what, lines in program.complaints:
        print(f"---- {name}: {what}", *lines, sep="\n")
    outcomes = list(program.outcomes.items())
    outcomes += [(name, "failed") for name, _, _ in program.complaints if name not in program.outcomes]
    with open(options.result, "w", encoding="utf-8") as file:
        file.writelines(f"{outcome} {name}\n" for name, outcome in outcomes)
    print("----")
    for name, outcome in outcomes:
        if outcome != "passed":
            print(f"{outcome}: {name}")
    count = {word: sum(outcome == word for _, outcome in outcomes) for word in ("passed", "failed", "skipped")}
    print(", ".join(f"{number} {word}" for word, number in count.items()))
    return 1 if count["failed"] or not program.cases else 0


if __name__ == "__main__":
    sys.exit(main())
