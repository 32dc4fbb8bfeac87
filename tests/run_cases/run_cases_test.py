#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""run_cases.py names each way in which a case can end: run_cases_test.py PROGRAM, troubled_cases."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

RUN_CASES = pathlib.Path(__file__).resolve().parent / "run_cases.py"


def run_cases(*more):
    """(exit status, output, lines of the result)"""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.txt"
        done = subprocess.run([sys.executable, RUN_CASES, "--timeout", "2", result, *more],
                              capture_output=True, text=True, check=False, timeout=100, cwd=folder)
        return done.returncode, done.stdout + done.stderr, sorted(result.read_text().splitlines())


class RunCases(unittest.TestCase):
    def test_every_case_has_its_outcome(self):
        status, output, lines = run_cases(PROGRAM)
        self.assertEqual(status, 1, output)
        self.assertEqual(lines, [
            "failed troubled.crashes",
            "failed troubled.ends_the_program",
            "failed troubled.fails",
            "failed troubled.hangs",
            "passed troubled.passes",
            "passed troubled.passes_after_all_that",
            "skipped troubled.DISABLED_never_runs",
            "skipped troubled.is_skipped",
        ])
        self.assertTrue(output.endswith("2 passed, 4 failed, 2 skipped\n"), output)
        self.assertIn("---- troubled.crashes: CRASHED: signal SIGABRT within it", output)
        self.assertIn("---- troubled.ends_the_program: CRASHED: exit status 0 within it", output)
        self.assertIn("---- troubled.fails: failed", output)
        self.assertIn("Expected equality of these values", output)
        self.assertIn("---- troubled.hangs: HUNG: no end after 2 s", output)
        self.assertIn("begins to wait", output)

    def test_a_program_without_cases_fails(self):
        status, output, lines = run_cases("true")
        self.assertEqual((status, lines), (1, []), output)

    def test_an_exit_status_after_the_last_case_fails(self):
        script = 'case "$*" in *list*) printf "a.\\n  b\\n";; *) echo "[ RUN      ] a.b"; ' \
                 'echo "[       OK ] a.b (0 ms)"; echo leak; exit 23;; esac'
        status, output, lines = run_cases("sh", "-c", script, "program")
        self.assertEqual((status, lines), (1, ["failed program", "passed a.b"]), output)
        self.assertIn("---- program: exit status 23 after its last case\nleak", output)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[-1]).is_file():
        sys.exit(f"{' '.join(sys.argv[1:]) or 'no program given'}: is not there; build the target troubled_cases and give its path")
    PROGRAM = sys.argv.pop()
    unittest.main()
