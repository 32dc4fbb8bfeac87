# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""While work is there, a pool makes no system call a task: busy_pool_test.py BUSY_POOL

Counts the calls that put threads to sleep or wake them, in 10,000 tasks of 50 µs, with strace; those that
wake threads while a paused pool gets a million tasks and is resumed; and the process-wide fences in 100 rests
of a pool on which a join has run.
"""

import re
import shutil
import subprocess
import sys
import tempfile

TASKS = 10_000
# A worker that is descheduled, or that finds its queue empty at the end, may sleep now and then.
ALLOWED = TASKS // 20
WORKERS = 2
RESTS = 100


def calls(program, pool):
    """How many futex and membarrier calls the program made."""
    with tempfile.NamedTemporaryFile("r") as report:
        strace = ["strace", "-f", "-c", "-o", report.name, "-e", "trace=futex,membarrier"]
        subprocess.run([*strace, program, pool], check=True, timeout=60)
        rows = re.findall(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+) .*\b(?:futex|membarrier)$", report.read(), re.M)
    return sum(int(count) for count in rows)


def calls_between(program, pool, mode, traced, text):
    """How many calls of that kind with that text there were between "begin" and "end"."""
    with tempfile.NamedTemporaryFile("r") as report:
        strace = ["strace", "-f", "-o", report.name, "-e", f"trace={traced},write"]
        subprocess.run([*strace, program, pool, mode], check=True, timeout=60, stderr=subprocess.DEVNULL)
        lines = report.read().splitlines()
    begin, end = (next(i for i, line in enumerate(lines) if f'"{word}\\n"' in line) for word in ("begin", "end"))
    return sum(text in line and "resumed" not in line for line in lines[begin:end])


def main(program):
    if shutil.which("strace") is None:
        print("skipped: strace is not installed")
        return 77
    if subprocess.run(["strace", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: strace may not trace here")
        return 77
    failed = 0
    for pool in ("steady", "balanced", "dynamic", "worker"):
        count = calls(program, pool)
        print(f"{pool}: {count} futex and membarrier calls in {TASKS} tasks; at most {ALLOWED} are allowed")
        failed += count > ALLOWED
        count = calls_between(program, pool, "paused", "futex", "FUTEX_WAKE")
        print(f"{pool}, paused: {count} wake-ups for a million tasks and resume; at most {2 * WORKERS} are allowed")
        failed += count > 2 * WORKERS
    for pool in ("steady", "balanced", "dynamic"):
        count = calls_between(program, pool, "rests", "membarrier", "membarrier(")
        print(f"{pool}, after a join: {count} process-wide fences in {RESTS} rests; at most {RESTS // 10} are allowed")
        failed += count > RESTS // 10
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
