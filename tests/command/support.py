# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Runs the regatta command, whose path is in REGATTA, and looks at what is left behind."""

import json
import os
import pty
import select
import signal
import subprocess
import time
import unittest

import jsonschema

REGATTA = os.environ["REGATTA"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Everybody, but under the thread sanitizer only those that need no library: it does not see how
# libraries that are not instrumented order their threads.
EVERYBODY = []
if os.environ.get("REGATTA_SANITIZE") == "thread":
    EVERYBODY = ["--schemes", "serial,std_thread,std_async,steady,steady_batch,balanced,"
                 "dynamic,mutex_queue,worker_pool,async_bus,processes"]

# A race that takes a fraction of a second. With runs of less than 5 ms it takes longer: those are repeated.
QUICK = ["--size", "128", "--rounds", "2"]


def environment(**changes):
    """The tests' own settings, whatever the caller's are; None takes a variable away. Without Python: every
    race asks it for its version, and that imports numpy, which takes longer than a short race.
    REGATTA_PYTHON=None lets the command find it."""
    result = {k: v for k, v in os.environ.items()
              if k not in ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS")}
    result.update({"LC_ALL": "C.UTF-8", "TERM": "xterm", "REGATTA_PYTHON": "/does/not/exist"})
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = value
    return result


def run(*words, env=None, **options):
    """Runs `regatta words...` to its end."""
    return subprocess.run([REGATTA, *words], env=env or environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100,
                          encoding="utf-8", **options)


def validate(document, name):
    """Holds it against docs/reference/NAME.schema.json, which may refer to its neighbours there."""
    path = os.path.join(ROOT, "docs", "reference", name + ".schema.json")
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    resolver = jsonschema.RefResolver("file://" + path, schema)
    jsonschema.Draft202012Validator(schema, resolver=resolver).validate(document)


def children_of(pid):
    """The processes whose parent is pid, as {pid: state}."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found[int(entry)] = fields[0]
    return found


def children_with(pid, word):
    """The children of pid that live and have that word in their command line: a command also starts
    processes, for a moment, that ask what there is on the machine."""
    found = []
    for child, state in children_of(pid).items():
        try:
            with open(f"/proc/{child}/cmdline", "rb") as words:
                if state != "Z" and word.encode() in words.read().split(b"\0"):
                    found.append(child)
        except OSError:
            pass
    return found


def segments_of(pid):
    """The named shared memory that a process and its children use, as paths."""
    found = set()
    for process in [pid, *children_of(pid)]:
        try:
            with open(f"/proc/{process}/maps", encoding="utf-8", errors="replace") as file:
                found.update(line.split(None, 5)[5].strip() for line in file if "/dev/shm/" in line)
        except OSError:
            pass  # it has just ended
    return found


def catches(pid, number):
    """Whether the process has its own handler of the signal."""
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        masks = dict(line.split(":", 1) for line in file if ":" in line)
    return int(masks["SigCgt"].strip(), 16) & 1 << (number - 1) != 0


def is_gone(pid):
    """Whoever adopts an orphan need not wait for it, so a zombie is gone, too."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def wait_until(condition, what, seconds=60):
    """Polls until condition() is true and returns its value."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.001)
    raise AssertionError("never happened: " + what)


class OnTerminal:
    """`regatta words...` on a terminal of its own."""

    def __init__(self, *words, env=None, columns=100):
        self.output = b""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            # The size is set before the program starts.
            import fcntl
            import struct
            import termios
            # The tests may run in the background, where a shell has Ctrl-C ignored, or under nohup.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.execve(REGATTA, [REGATTA, *words], env or environment())

    def read_until(self, text, seconds=60):
        """Reads until the text has come; a text of None is the end of the output."""
        deadline = time.monotonic() + seconds
        while text is None or text not in self.output:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                raise AssertionError(f"waited for {text!r}, got {self.output!r}")
            try:
                more = os.read(self.master, 65536)
            except OSError:  # EIO: the other side is closed
                more = b""
            if not more:
                if text is None:
                    return
                raise AssertionError(f"it ended before {text!r}: {self.output!r}")
            self.output += more

    def press_ctrl_c(self):
        os.write(self.master, b"\x03")

    def status(self):
        """Reads to the end and returns the exit status, negative for a signal."""
        self.read_until(None)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.master)
        return os.waitstatus_to_exitcode(status)


main = unittest.main
