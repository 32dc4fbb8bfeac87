# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""`regatta cpus pin`: every thread of a running process."""

import os
import subprocess
import sys
import unittest

from support import run

# Starts a second thread and says so; both wait for the end of the input.
TWO_THREADS = """
import sys, threading
threading.Thread(target=sys.stdin.buffer.raw.read, args=(1,), daemon=True).start()
print("ready", flush=True)
threading.Event().wait(60)
"""


def bound_kernel_thread():
    """A thread that the kernel lets nobody move; none is visible in a container."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                flags = int(file.read().rsplit(")", 1)[1].split()[9 - 3])
        except OSError:
            continue  # it has just ended
        if flags & 0x04000000:  # PF_NO_SETAFFINITY
            return entry
    raise unittest.SkipTest("no thread of the kernel is visible")


class CpusPin(unittest.TestCase):
    def test_every_thread_is_pinned(self):
        allowed = sorted(os.sched_getaffinity(0))
        with subprocess.Popen([sys.executable, "-c", TWO_THREADS], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            try:
                self.assertEqual(process.stdout.readline(), b"ready\n")
                result = run("cpus", "pin", "--pid", str(process.pid), str(allowed[-1]))
                threads = os.listdir(f"/proc/{process.pid}/task")
                where = [os.sched_getaffinity(int(thread)) for thread in threads]
            finally:
                process.kill()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(where, [{allowed[-1]}] * 2)
        self.assertTrue(result.stdout.startswith(
            f"process {process.pid}: 2 threads on CPUs {allowed[-1]}, before on "), result.stdout)

    def test_the_number_of_a_thread_is_refused(self):
        with subprocess.Popen([sys.executable, "-c", TWO_THREADS], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            try:
                self.assertEqual(process.stdout.readline(), b"ready\n")
                thread = max(map(int, os.listdir(f"/proc/{process.pid}/task")))
                result = run("cpus", "pin", "--pid", str(thread), str(min(os.sched_getaffinity(0))))
                where = os.sched_getaffinity(thread)
            finally:
                process.kill()
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn(f"--pid: {thread} is a thread of process {process.pid}\n", result.stderr)
        self.assertEqual(where, os.sched_getaffinity(0))

    def test_a_thread_that_the_kernel_has_bound_is_told_from_wrong_cpus(self):
        thread = bound_kernel_thread()
        result = run("cpus", "pin", "--pid", thread, str(min(os.sched_getaffinity(0))))
        self.assertEqual((result.returncode, result.stdout), (1, ""), result)
        self.assertIn(f"pin process {thread}: the kernel has bound it to its CPUs, and lets nobody move it\n",
                      result.stderr)

    def test_what_cannot_be_is_refused(self):
        for words, status, text in (
                (["0"], 2, "--pid"),
                (["--pid", "1"], 2, "cpus"),
                (["--pid", "0", "0"], 2, "--pid"),
                (["--pid", "x", "0"], 2, "--pid"),
                (["--pid", str(os.getpid()), "x"], 2, "position"),
                (["--pid", str(os.getpid()), ""], 2, "names no CPU"),
                (["--pid", str(2**31 - 1), "0"], 1, f"pin process {2**31 - 1}: No such process"),
                (["--pid", str(os.getpid()), "1000000"], 1, "may use none of the CPUs 1000000")):
            result = run("cpus", "pin", *words)
            self.assertEqual((result.returncode, result.stdout), (status, ""), (words, result))
            self.assertIn(text, result.stderr, words)


if __name__ == "__main__":
    unittest.main()
