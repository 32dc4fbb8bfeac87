# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""The schemes in Python beside those in C++, and what is said where Python is not as it should be."""

import json
import os
import re
import tempfile
import unittest

import support
from support import OnTerminal, children_of, environment, is_gone, run, wait_until

# A run that takes less than 5 ms is repeated until a sample has that much, and each repetition starts
# the interpreter again: the sizes here are the small ones that do without.
WAYS = ["python_serial", "python_threads", "python_processes", "python_pool_map"]


WITH_PYTHON = environment(REGATTA_PYTHON=None)


def race(*words, env=WITH_PYTHON):
    """Exit status, the schemes of the race by their names, and its report for people."""
    result = run("race", *words, "--json", "-", env=env)
    document = json.loads(result.stdout)
    support.validate(document, "race")
    return result.returncode, {s["name"]: s for s in document["schemes"]}, result.stderr


def one_line(text):
    return re.sub(r"\s+", " ", text)


class Python(unittest.TestCase):
    def pretend(self, body):
        """An environment in which Python is a program of the shell that answers what it is asked,
        and does `body` where it is given a file to run."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "python3")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nif [ \"$2\" = -c ]; then\necho path={path}; echo version=3.11.2\n"
                       f"echo implementation=CPython; echo numpy_version=1.0\nelse\n{body}\nfi\n")
        os.chmod(path, 0o700)
        return environment(REGATTA_PYTHON=path)

    def need_numpy(self, scheme):
        """Skips the test where there is no Python with numpy, which bootstrap could not install."""
        if scheme["status"] == "skipped":
            self.skipTest(scheme["reason"])

    def test_every_way_does_the_same_task_as_our_pool_and_the_report_explains(self):
        status, schemes, report = race("inverse", "--schemes", ",".join([*WAYS, "regatta"]),
                                       "--size", "64", "--items", "32", "--rounds", "2")
        self.need_numpy(schemes["python_serial"])
        self.assertEqual(status, 0, report)
        self.assertEqual(schemes["regatta"]["scheme"], "balanced")
        for name, scheme in schemes.items():
            self.assertTrue(scheme["verified"], scheme)
            self.assertEqual(scheme["figures"] is not None, name in WAYS)
        sent = {name: schemes[name]["figures"]["sent_bytes"] for name in WAYS}
        self.assertEqual(sent["python_pool_map"], 32 * 2 * 64 * 64 * 8)
        self.assertEqual(sent["python_processes"], 0)
        report = one_line(report)
        for sentence in ("Python's lock (GIL): of the CPU time of python_threads", "Starting workers: a process of",
                         "Pickling: python_pool_map sent 2.10 MB",
                         "The fastest in Python and the fastest in C++",
                         "Not in these times: starting the interpreter"):
            self.assertIn(sentence, report)

    def test_each_has_a_variant_without_threads_of_the_library(self):
        status, schemes, report = race("matmul", "--kernel", "blas", "--size", "384", "--rounds", "1",
                                       "--schemes", "std_thread,python_threads,python_threads_1blas")
        self.need_numpy(schemes["python_threads"])
        self.assertEqual(status, 0, report)
        self.assertTrue(all(scheme["verified"] for scheme in schemes.values()))
        self.assertEqual(schemes["python_threads_1blas"]["figures"]["threads"], 1)
        self.assertIn("Threads of numpy's BLAS", one_line(report))

    def test_they_and_their_variants_are_listed(self):
        listed = run("race", "--list").stdout
        for name in WAYS:
            self.assertIn(name, listed)
            self.assertIn(name + "_1blas", listed)
        self.assertIn('balanced is found as "regatta", too', one_line(listed))

    def test_without_python_it_says_how_to_get_it(self):
        for env, expected in ((environment(REGATTA_PYTHON="/does/not/exist"), "/does/not/exist"),
                              (environment(REGATTA_PYTHON="true"), "true is no Python")):
            status, schemes, report = race("primes", "--size", "2", "--rounds", "1", "--schemes",
                                           "serial,python_threads", env=env)
            self.assertEqual(status, 1, report)
            self.assertEqual(schemes["serial"]["status"], "ok")
            self.assertEqual(schemes["python_threads"]["status"], "skipped")
            self.assertIn(expected, schemes["python_threads"]["reason"])
            self.assertIn(expected, report)

    def test_a_workload_without_code_in_python_is_named(self):
        status, schemes, report = race("empty", "--size", "100", "--rounds", "1", "--schemes",
                                       "serial,python_serial")
        self.assertEqual(status, 1, report)
        self.assertIn("there is no code in Python for empty", schemes["python_serial"]["reason"])

    def test_a_python_that_dies_is_quoted_and_the_others_go_on(self):
        for body, expected in (("echo first >&2; echo 'MemoryError: no room' >&2; exit 1",
                                "exited with status 1: MemoryError: no room"),
                               ("kill -SEGV $$", "was killed by signal 11 (SIGSEGV)"),
                               ("exit 0", "exited with status 0")):
            status, schemes, report = race("primes", "--size", "2", "--rounds", "1", "--schemes",
                                           "serial,python_processes", env=self.pretend(body))
            self.assertEqual(status, 1, report)
            self.assertTrue(schemes["serial"]["verified"])
            self.assertEqual(schemes["python_processes"]["status"], "failed")
            self.assertRegex(schemes["python_processes"]["reason"],
                             r"^Python \(process \d+\) " + re.escape(expected))
            self.assertIn("FAILED python_processes", report)

    def test_ctrl_c_leaves_no_process(self):
        _, schemes, _ = race("primes", "--schemes", "python_serial", "--size", "2", "--rounds", "1")
        self.need_numpy(schemes["python_serial"])
        terminal = OnTerminal("race", "primes", "--schemes", ",".join(WAYS), "--size", "10",
                              "--time", "1000", env=WITH_PYTHON)
        terminal.read_until(b"round 1")
        python = list(wait_until(lambda: children_of(terminal.pid), "an interpreter"))
        forked = [child for one in python for child in children_of(one)]
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        for process in [*python, *forked]:
            wait_until(lambda p=process: is_gone(p), "the end of a process")
        self.assertNotIn(b"FAILED", terminal.output)


if __name__ == "__main__":
    support.main()
