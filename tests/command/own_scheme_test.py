# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Schemes of one's own: `regatta race --schemes ./mine.so`."""

import json
import os
import resource
import shutil
import signal
import tempfile
import unittest

import support
from support import environment, run

POOL = os.environ["REGATTA_TEST_POOL"]
FAULTY = os.environ["REGATTA_TEST_FAULTY"]
OTHER = os.environ["REGATTA_TEST_OTHER"]
COLLATZ = os.environ["REGATTA_TEST_COLLATZ"]
SMALL = ["uneven", "--size", "200"]
QUICK = ["--rounds", "1"]


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def with_trouble(kind):
    return environment(REGATTA_TEST_TROUBLE=kind)


class OwnScheme(unittest.TestCase):
    def race(self, *words, status=0, env=None):
        result = run("race", *words, "--json", "-", env=env)
        self.assertEqual(result.returncode, status, result.stderr)
        document = json.loads(result.stdout)
        support.validate(document, "race")
        return {one["name"]: one for one in document["schemes"]}

    def test_it_races_beside_the_others(self):
        for workload in (SMALL, [COLLATZ, "--size", "30"]):
            for more in ([], ["--reuse"]):
                with self.subTest(workload=workload, more=more):
                    ran = self.race(*workload, "--schemes", f"serial,steady,{POOL},mine={POOL}", *QUICK, *more)
                    self.assertEqual(set(ran), {"serial", "steady", POOL, "mine"})
                    self.assertEqual({one["status"] for one in ran.values()}, {"ok"})

    def test_launches_and_sizes(self):
        result = run("race", "uneven", "--schemes", f"serial,mine={POOL}", "--launches", "2", "--size", "100,200", *QUICK)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("mine", result.stdout)

    def test_it_takes_items_at_a_rate(self):
        ran = self.race(*SMALL, "--schemes", POOL, "--rate", "5000", *QUICK)
        self.assertEqual(ran[POOL]["status"], "ok")
        latency = ran[POOL]["latency_ns"]
        self.assertEqual(latency["count"], 200)
        # The last item is due 39.8 ms after the first: of one that is not waited for, it is below zero.
        self.assertTrue(0 < latency["min"] < latency["max"] < 10**10, latency)
        late = self.race(*SMALL, "--schemes", f"steady,{FAULTY}", "--rate", "5000", *QUICK, status=1)
        self.assertIn("no single tasks", late[FAULTY]["reason"])

    def test_it_scales_and_is_a_baseline(self):
        result = run("scale", *SMALL, "--scheme", POOL, "--workers", "1,2", *QUICK)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"scheme {POOL}".replace(" ", ""), "".join(result.stdout.split()))
        ran = run("race", *SMALL, "--schemes", f"serial,{POOL}", "--baseline", POOL, *QUICK)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn(f"{POOL} = 1".replace(" ", ""), "".join(ran.stdout.split()))

    def test_the_advice_knows_its_result(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "race.json")
            result = run("race", *SMALL, "--schemes", f"serial,std_thread,{POOL}", "--rounds", "6", "--json", file)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(run("advise", file).returncode, 0)

    def test_by_its_name_in_this_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(POOL, os.path.join(folder, "mine.so"))
            result = run("race", *SMALL, "--schemes", "mine.so", *QUICK, cwd=folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            path = os.path.join(folder, "mine.so")
            result = run("race", *SMALL, "--schemes", path, *QUICK, "--json", path)
            self.assertEqual(result.returncode, 2)
            self.assertIn("would be overwritten", result.stderr)

    def test_what_goes_wrong_fails_it_alone(self):
        for kind, says in (("make", "it could not be made: no room for 2"),
                           ("throw", "its run() failed: the queue is full"),
                           ("forget", "999 items were run, and there are 1000"),
                           ("twice", "some items were run twice and others not at all")):
            with self.subTest(kind=kind):
                ran = self.race("empty", "--size", "1000", "--workers", "2", "--schemes", f"serial,{FAULTY}", *QUICK, status=1,
                                env=with_trouble(kind))
                self.assertEqual(ran["serial"]["status"], "ok")
                self.assertEqual(ran[FAULTY]["status"], "failed")
                self.assertIn(says, ran[FAULTY]["reason"])

    # The item that was not run is told of, and not its value, which nobody has written.
    def test_an_item_that_is_left_out_is_no_wrong_value(self):
        ran = self.race(*SMALL, "--schemes", f"serial,{FAULTY}", *QUICK, status=1, env=with_trouble("forget"))
        self.assertIn("199 items were run, and there are 200", ran[FAULTY]["reason"])

    def test_a_failure_is_told_also_where_there_is_no_report(self):
        for more in ([], ["--launches", "2"], ["--size", "100,200"]):
            words = [*SMALL] if not more or more[0] != "--size" else SMALL[:1]
            result = run("race", *words, "--schemes", f"serial,{FAULTY}", *QUICK, *more, "-q", env=with_trouble("throw"))
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
            self.assertIn(f"{FAULTY} failed: ", result.stderr)
            self.assertIn("its run() failed: the queue is full", result.stderr)

    def test_items_that_hand_over_items_are_not_for_it(self):
        ran = self.race("within", "--schemes", f"serial,{POOL}", *QUICK, status=1)
        self.assertEqual(ran[POOL]["status"], "skipped")
        self.assertIn("cannot hand over further items", ran[POOL]["reason"])

    @unittest.skipIf(os.environ.get("REGATTA_SANITIZE"), "a sanitizer tells of crashes itself")
    def test_a_crash_says_where(self):
        for kind, number, says in (
                ("segv", signal.SIGSEGV, "SIGSEGV in the scheme's own code, in run(), while"),
                ("abort at the end", signal.SIGABRT, "SIGABRT in the scheme's own code, in the destructor")):
            with self.subTest(kind=kind):
                result = run("race", *SMALL, "--schemes", FAULTY, *QUICK, env=with_trouble(kind), preexec_fn=no_core)
                self.assertEqual(result.returncode, -number, result)
                self.assertIn(says, result.stderr)

    def test_what_it_prints_is_no_part_of_the_result(self):
        result = run("race", *SMALL, "--schemes", FAULTY, *QUICK, "--json", "-", env=with_trouble("print"))
        self.assertEqual(result.returncode, 0, result.stderr)
        json.loads(result.stdout)
        self.assertIn("away in state 1\n", result.stderr)

    # "To race two states of one pool, build two files": of one class, which both export.
    def test_two_states_of_one_class(self):
        result = run("race", *SMALL, "--schemes", f"{FAULTY},{OTHER}", *QUICK, env=with_trouble("print"))
        self.assertEqual(result.returncode, 0, result.stderr)
        for state in ("1", "2"):
            self.assertIn(f"away in state {state}\n", result.stdout)

    def test_a_path_may_have_an_equals_sign(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(POOL, os.path.join(folder, "a=b.so"))
            for word in ("./a=b.so", "x=./a=b.so"):
                result = run("race", *SMALL, "--schemes", word, *QUICK, cwd=folder)
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_what_is_none_is_refused(self):
        for path, trouble, says in (
                ("./nowhere.so", "", "./nowhere.so: No such file"),
                (os.path.abspath(__file__), "", "made with -shared -fPIC, and a program or script takes part by --command"),
                (COLLATZ, "", "exports no function regatta_scheme"),
                (FAULTY, "entry", "its function regatta_scheme throws"),
                (FAULTY, "null", "returns a null pointer"),
                (FAULTY, "version", "built for version 77 of the interface; this is version 1")):
            for words in (["race", *SMALL, "--schemes", path], ["scale", *SMALL, "--scheme", path]):
                with self.subTest(words=words, trouble=trouble):
                    result = run(*words, *QUICK, env=with_trouble(trouble))
                    self.assertEqual((result.returncode, result.stdout), (2, ""), result)
                    self.assertIn(says, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
