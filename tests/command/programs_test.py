# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""`regatta race --command`: programs of the user's in a race."""

import csv
import io
import json
import os
import signal
import subprocess
import tempfile
import unittest

import support
from support import QUICK, REGATTA, OnTerminal, environment, is_gone, run, wait_until

ROUNDS = ["--rounds", "2"]


def number_in(path):
    """The whole line that a program has written, as a number; None: not yet."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return None
    return int(text) if text.endswith("\n") else None


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.child = os.path.join(folder.name, "child")
        # A program that lasts, with a child that lasts.
        self.lasting = f"lasting=sh -c 'sleep 1000 & echo $! > {self.child}; wait'"

    def refused(self, *words, says):
        result = run("race", *words)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        for text in says:
            self.assertIn(text, result.stderr)

    # "Give it a limit": the program fails, the others race on, and nothing stays.
    def test_one_that_hangs_is_ended_by_the_limit_in_its_command(self):
        limit = "timeout --foreground -k 0.1 0.5"
        program = self.lasting.replace("lasting=", f"lasting={limit} ")
        result = run("race", "--command", program, "--command", "true=true", "--command",
                     f"stopped={limit} sh -c 'kill -STOP $$'", *ROUNDS)
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("FAILED lasting: exited with status 124", result.stdout)
        self.assertIn("FAILED stopped: exited with status 137", result.stdout)
        self.assertIn("true", result.stdout.split("FAILED")[0])
        wait_until(lambda: is_gone(number_in(self.child)), "the end of the child")

    def test_alone_they_race_without_a_workload(self):
        result = run("race", "--command", "first=sh -c 'exit 0' {workers}", "--command",
                     "second=true", *ROUNDS, "--workers", "3", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        support.validate(document, "race")
        self.assertIsNone(document["workload"])
        self.assertEqual(document["items"], 0)
        self.assertEqual(document["baseline"], "first")
        self.assertEqual(len(document["control"]["samples"]), 2)
        self.assertEqual([s["name"] for s in document["schemes"]], ["first", "second"])
        for scheme in document["schemes"]:
            self.assertEqual(scheme["status"], "ok", scheme)
            self.assertFalse(scheme["verified"])
            self.assertGreater(scheme["program"]["peak_bytes"], 100_000)
            self.assertGreaterEqual(scheme["program"]["cpu_ns"], 0)
        self.assertEqual(document["schemes"][0]["program"]["command"], "sh -c 'exit 0' 3")
        self.assertIn("2 programs", result.stderr)
        self.assertIn("CPU time", result.stderr)
        self.assertIn("was not checked", " ".join(result.stderr.split()))

    def test_beside_schemes(self):
        result = run("race", "--schemes", "serial,std_thread", "--command", "mine=true", *QUICK,
                     "--baseline", "mine", "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = {row["name"]: row for row in csv.DictReader(io.StringIO(result.stdout))}
        self.assertEqual(rows["mine"]["verdict"], "baseline")
        self.assertEqual(rows["mine"]["command"], "true")
        self.assertEqual(rows["mine"]["verified"], "false")
        self.assertGreater(int(rows["mine"]["peak_bytes"]), 100_000)
        self.assertEqual(rows["serial"]["command"], "")
        self.assertEqual(rows["serial"]["verified"], "true")
        self.assertIn("memory", result.stderr)

    def test_a_dying_program_fails_with_its_last_words(self):
        result = run("race", "--command", "good=true", "--command",
                     "bad=sh -c 'echo no such figure >&2; exit 3'", "--command",
                     "killed=sh -c 'kill -9 $$'", *ROUNDS)
        self.assertEqual(result.returncode, 1, result)
        text = " ".join(result.stdout.split())
        self.assertIn("FAILED bad: exited with status 3: no such figure", text)
        self.assertIn("FAILED killed: was killed by signal 9 (SIGKILL)", text)
        self.assertIn("good", text)

    def test_the_number_of_workers_can_be_in_the_programs_own_name(self):
        os.symlink("/bin/true", f"{self.child}2")
        for workers, status in ("2", 0), ("3", 2):
            result = run("race", "--command", f"a={self.child}{{workers}}", *ROUNDS, "--workers",
                         workers)
            self.assertEqual(result.returncode, status, result)
        self.assertIn(f"cannot start {self.child}3", result.stderr)

    def test_a_program_is_not_written_over(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n")
            os.chmod(program, 0o755)
            for words in (["race", "--command", f"a={program}", "--rounds", "1", "--json", program],
                          ["race", "isolation", "--rounds", "1", "--csv", program, "--", program]):
                result = run(*words)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result)
                self.assertIn(f"{program} was read as {program}, and would be overwritten", result.stderr)
                with open(program, encoding="utf-8") as file:
                    self.assertEqual(file.read(), "#!/bin/sh\n")

    def test_errors_written_faster_than_they_are_read_hide_no_end(self):
        # strace slows the launcher down; where it may not, or is not there, less is tested.
        script = self.child + ".sh"
        with open(script, "w", encoding="utf-8") as file:
            file.write("strace -qq -o /dev/null -p $PPID -e trace=read"
                       " -e inject=read:delay_exit=5000 2>/dev/null & tracer=$!\n"
                       "until grep -q 'TracerPid:.*[1-9]' /proc/$PPID/status ||"
                       " ! kill -0 $tracer 2>/dev/null; do :; done\n"
                       "yes >&2 & yes >&2 &\n"
                       "dd if=/dev/zero bs=1k count=256 status=none >&2\n")
        result = run("race", "--command", f"a=sh {script}", "--rounds", "1")
        self.assertEqual(result.returncode, 0, result)

    def test_control_characters_do_not_reach_the_terminal(self):
        result = run("race", "--command", 'a=sh -c \'printf "\\302\\233red" >&2; exit 1\'', *ROUNDS)
        self.assertIn("FAILED a: exited with status 1: ?red", " ".join(result.stdout.split()))

    def test_wrong_words_are_refused_with_what_is_right(self):
        self.refused("--command", "x=no-such-program", says=["x: there is no program", "PATH"])
        self.refused("--command", "x=/no/such", says=["cannot start /no/such: No such file"])
        self.refused("--command", "true", says=["--command", '"true"', "NAME=COMMAND"])
        self.refused("--command", "=true", says=["empty name"])
        self.refused("--command", "a=", says=["a: the command is empty"])
        self.refused("--command", "a=true", "--command", "a=false", says=['"a" is there twice'])
        self.refused("--schemes", "serial", "--command", "serial=true",
                     says=['"serial" is also a scheme', "my_serial="])
        self.refused("--schemes", "std_thread,std_thread (again)=serial", says=["the baseline's second run"])
        self.refused("--command", "a=true | true", says=["sh -c"])
        self.refused("--command", "a=ls *.cpp", says=['"*"', "sh -c"])
        self.refused("--command", "a=X=1 ls", says=["a=env X=..."])
        self.refused("--command", "a=true 'b", says=["has no end"])
        self.refused("--command", "a=true", "--size", "64", says=["--size", "name a workload"])
        self.refused("--command", "a=true", "--seed", "3", says=["--seed", "name a workload"])
        self.refused("--command", "a=true", "--baseline", "b", says=['"b" is not in this race'])

    def test_ctrl_c_ends_them_with_their_children(self):
        terminal = OnTerminal("race", "--command", "short=true", "--command", self.lasting)
        child = wait_until(lambda: number_in(self.child), "the program's child")
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        wait_until(lambda: is_gone(child), "its end")
        self.assertNotIn(b"FAILED", terminal.output)

    def test_a_kill_of_the_race_ends_them_with_their_children(self):
        process = subprocess.Popen([REGATTA, "race", "--command", self.lasting],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=environment())
        child = wait_until(lambda: number_in(self.child), "the program's child")
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        wait_until(lambda: is_gone(child), "its end")


if __name__ == "__main__":
    support.main()
