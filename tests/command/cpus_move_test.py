# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""`regatta cpus run --move-others`. It moves every process of this machine for a moment, so no other
test may run beside it: one that reads or sets where a thread may run would see that."""

import os
import subprocess
import unittest

from support import main, run

CPU = max(os.sched_getaffinity(0))


def mask_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(line for line in file if line.startswith("Cpus_allowed:"))


def cpuset_of_version_1():
    return os.path.exists("/sys/fs/cgroup/cpuset/tasks") and os.geteuid() == 0


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two CPUs")
class CpusMove(unittest.TestCase):
    @unittest.skipUnless(cpuset_of_version_1(), "needs root and cpusets of version 1")
    def test_others_are_moved_if_that_is_allowed(self):
        sleeper = subprocess.Popen(["sleep", "100"])
        try:
            before = mask_of(sleeper.pid)
            result = run("cpus", "run", "--move-others", "--at-least", "shielded", str(CPU), "--",
                         "grep", "Cpus_allowed:", f"/proc/{sleeper.pid}/status")
            self.assertEqual(result.returncode, 0, result.stderr)
            inside = int(result.stdout.split()[1].replace(",", ""), 16)
            self.assertFalse(inside >> CPU & 1, result.stdout)
            self.assertEqual(mask_of(sleeper.pid), before)
        finally:
            sleeper.kill()
            sleeper.wait()


if __name__ == "__main__":
    main()
