# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Workloads of one's own: `regatta race ./mine.so`."""

import json
import os
import resource
import shutil
import signal
import tempfile
import unittest

import support
from support import EVERYBODY, ROOT, environment, run

COLLATZ = os.environ["REGATTA_TEST_COLLATZ"]
PICTURE = os.environ["REGATTA_TEST_PICTURE"]
SUMS = os.environ["REGATTA_TEST_SUMS"]
QUICK = ["--rounds", "1"]
FEW = ["--schemes", "serial,std_thread,processes", *QUICK]


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Without a limit an endless recursion would fill the memory.
    resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def with_trouble(kind):
    return environment(REGATTA_TEST_TROUBLE=kind)


class OwnWorkload(unittest.TestCase):
    def race(self, *words, status=0, env=None):
        result = run("race", *words, "--json", "-", env=env)
        self.assertEqual(result.returncode, status, result.stderr)
        document = json.loads(result.stdout)
        support.validate(document, "race")
        return document

    # Threads, pools, messages, processes: each runs each item once, and all results are right.
    def test_every_scheme_runs_it(self):
        document = self.race(SUMS, "--size", "5000", "--seed", "9", *QUICK, *EVERYBODY, "--workers", "2")
        self.assertEqual(document["workload"], SUMS)
        self.assertEqual(document["unit"], "numbers")
        self.assertEqual(document["settings"], {"size": 5000, "seed": 9})
        ran = {one["name"] for one in document["schemes"] if one["status"] == "ok"}
        self.assertLessEqual({"serial", "std_thread", "balanced", "worker_pool", "processes"}, ran)
        for one in document["schemes"]:
            self.assertIn(one["status"], ("ok", "skipped"), one)

    def test_the_examples_run(self):
        for path in (COLLATZ, PICTURE):
            with self.subTest(path=path):
                document = self.race(path, "--size", "30", *FEW)
                self.assertEqual({one["status"] for one in document["schemes"]}, {"ok"})

    # Where the scaling fails, the race before it was not in vain.
    def test_advice_comes_from_the_race_alone_where_one_worker_fails(self):
        result = run("advise", SUMS, "--size", "1000", "--rounds", "2", "--json", "-",
                     env=with_trouble("wrong on other threads"))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("the scaling could not be measured: one worker: wrong result", result.stderr)
        advice = json.loads(result.stdout)
        support.validate(advice, "advice")
        self.assertTrue(any(" failed in the race: wrong result" in one["text"] for one in advice["sentences"]), advice)

    # Its name needs no slash; and workers find it, wherever they are.
    def test_by_its_name_in_this_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(COLLATZ, os.path.join(folder, "mine.so"))
            result = run("race", "mine.so", "--size", "4", *FEW, cwd=folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("mine.so size 4 · 4 items", result.stdout)

    # "The workload's own file and two results that would go to one file … are refused"
    def test_its_own_file_is_not_written_over(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.so")
            shutil.copy(COLLATZ, path)
            link = os.path.join(folder, "result")
            os.symlink("mine.so", link)
            with open(path, "rb") as file:
                before = file.read()
            for words in (["race", path, *FEW], ["race", path, *FEW, "--launches", "2"], ["race", "--list", path],
                          ["scale", path, *QUICK], ["advise", path, *QUICK]):
                for to in (path, link):
                    result = run(*words, "--json", to)
                    self.assertEqual((result.returncode, result.stdout), (2, ""), words)
                    self.assertIn(f"--json {to} was read as {path}, and would be overwritten", result.stderr)
                    with open(path, "rb") as file:
                        self.assertEqual(file.read(), before, words)

    # "an exception of an item makes the run a failed one, with the item's number and the text"
    def test_an_item_that_throws_fails_the_scheme(self):
        document = self.race(SUMS, *FEW, status=1, env=with_trouble("throw"))
        for one in document["schemes"]:
            self.assertEqual(one["status"], "failed")
            self.assertIn("item 7 threw: seven is refused", one["reason"])

    def test_a_wrong_result_fails_the_scheme(self):
        document = self.race(SUMS, *FEW, status=1, env=with_trouble("wrong"))
        for one in document["schemes"]:
            self.assertEqual(one["status"], "failed")
            self.assertIn("sum 3 is not 35050", one["reason"])

    def test_what_cannot_begin_says_why(self):
        for kind, says in (("make", "could not be made: no licence"), ("fill", "fill() failed: an exception of unknown type")):
            with self.subTest(kind=kind):
                result = run("race", SUMS, *FEW, env=with_trouble(kind))
                self.assertEqual(result.returncode, 1, result)
                self.assertIn(says, result.stderr)
                self.assertEqual(result.stdout, "")

    # "a file that is replaced during a race": the processes that begin later do not run other code.
    def test_a_file_that_is_replaced_fails_the_schemes_that_load_it_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = shutil.copy(SUMS, os.path.join(folder, "mine.so"))
            env = with_trouble("replace")
            result = run("race", path, "--size", "300", "--schemes", "serial,std_thread,processes", *QUICK, env=env)
            self.assertEqual(result.returncode, 1, result)
            self.assertIn("FAILED processes", result.stdout)
            self.assertIn("mine.so has changed since the race began", result.stderr)

    def test_an_item_that_ends_the_program_leaves_a_message_and_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "result.json")
            result = run("race", SUMS, "--schemes", "serial", *QUICK, "--json", file, env=with_trouble("exit"))
            self.assertEqual(result.returncode, 1, result)
            self.assertIn("the workload's own code, in run() has ended this program by exit()", result.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_the_end_of_the_program_while_it_is_loaded_or_by_quick_exit_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "result.json")
            for kind, says in (("exit at load", "in what runs when it is loaded"), ("quick exit", "in run()")):
                for command in (["race", SUMS, "--schemes", "serial"], ["scale", SUMS, "--scheme", "std_thread"]):
                    result = run(*command, *QUICK, "--json", file, env=with_trouble(kind))
                    self.assertEqual(result.returncode, 1, result)
                    self.assertIn(f"the workload's own code, {says} has ended this program", result.stderr)
                    self.assertEqual(os.listdir(folder), [])

    # Its code may change the working directory, where a file of the same name may be another one.
    def test_a_result_that_is_not_to_be_is_removed_where_it_was_made(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = os.path.join(folder, "elsewhere", "result.json")
            os.mkdir(os.path.dirname(kept))
            with open(kept, "w", encoding="utf-8") as file:
                file.write("of last year")
            result = run("race", SUMS, "--schemes", "serial", *QUICK, "--json", "result.json", cwd=folder,
                         env=with_trouble("exit elsewhere"))
            self.assertEqual(result.returncode, 1, result)
            self.assertIn("the workload's own code, in run() has ended this program by exit()", result.stderr)
            self.assertEqual(os.listdir(folder), ["elsewhere"])
            with open(kept, encoding="utf-8") as file:
                self.assertEqual(file.read(), "of last year")

    # "a signal that ends the command is told, with the scheme and the part of the workload"
    @unittest.skipIf(os.environ.get("REGATTA_SANITIZE"), "a sanitizer tells of crashes itself")
    def test_a_crash_says_where_and_leaves_no_file(self):
        item = "regatta: SIGSEGV in the workload's own code, in run() of item 7, %s; there is no result"
        for kind, scheme, number, says in (
                ("segv", "serial", signal.SIGSEGV, item % "while serial ran"),
                ("segv", "steady", signal.SIGSEGV, item % "while steady ran"),
                ("deep", "serial", signal.SIGSEGV, item % "before the first scheme ran"),
                ("terminate", "std_thread", signal.SIGABRT, "SIGABRT, while std_thread ran; there is no result"),
                ("abort when made", "serial", signal.SIGABRT, "SIGABRT in the workload's own code, in the constructor"),
                ("abort when loaded", "serial", signal.SIGABRT, "own code, in what runs when it is loaded")):
            with self.subTest(kind=kind, scheme=scheme), tempfile.TemporaryDirectory() as folder:
                result = run("race", SUMS, "--schemes", scheme, *QUICK, "--json", os.path.join(folder, "j"),
                             "--csv", os.path.join(folder, "c"), env=with_trouble(kind), preexec_fn=no_core)
                self.assertEqual(result.returncode, -number, result)
                self.assertIn(says, result.stderr)
                self.assertEqual(os.listdir(folder), [])
        result = run("scale", SUMS, "--workers", "2", *QUICK, env=with_trouble("segv"), preexec_fn=no_core)
        self.assertEqual(result.returncode, -signal.SIGSEGV, result)
        self.assertIn("in run() of item 7, while std_thread ran", result.stderr)

    @unittest.skipIf(os.environ.get("REGATTA_SANITIZE"), "a sanitizer tells of crashes itself")
    def test_a_crash_in_a_launch_says_where(self):
        result = run("race", SUMS, *FEW, "--launches", "2", env=with_trouble("segv"), preexec_fn=no_core)
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("launch 1 wrote no result: killed by signal 11 (SIGSEGV)", result.stderr)
        self.assertIn("in run() of item 7", result.stderr)

    # Only its processes end, and the command goes on.
    def test_a_crash_in_worker_processes_is_survived(self):
        result = run("race", SUMS, "--schemes", "processes", *QUICK, env=with_trouble("segv in workers"), preexec_fn=no_core)
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("FAILED processes", result.stdout)
        self.assertNotIn("own code", result.stderr)

    # The result has standard output for itself.
    def test_what_it_prints_is_no_part_of_the_result(self):
        for words in (["race", *FEW], ["scale", "--rounds", "1", "--workers", "1"], ["race", "--list"]):
            with self.subTest(words=words):
                size = [] if "--list" in words else ["--size", "300"]
                result = run(words[0], SUMS, *words[1:], *size, "--json", "-", env=with_trouble("print"))
                self.assertEqual(result.returncode, 0, result.stderr)
                json.loads(result.stdout)
                for said in ("welcome\n", "farewell\n", *(["item 2\n"] if size else [])):
                    self.assertIn(said, result.stderr)

    def test_the_list_has_it(self):
        result = run("race", SUMS, "--list")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"Workload of your own\n  {SUMS}\n    Options: --size 100..1000000 (10000), --seed\n", result.stdout)
        document = json.loads(run("race", SUMS, "--list", "--json", "-").stdout)
        support.validate(document, "list")
        self.assertEqual(document["workloads"][-1]["name"], SUMS)
        usual = run("race", "--list")
        self.assertNotIn("of your own", usual.stdout)

    def test_launches_and_sizes(self):
        result = run("race", COLLATZ, *FEW, "--launches", "2", "--size", "4,8", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(os.path.basename(COLLATZ), result.stdout)

    # Messages have 32 bits for the number of an item: the schemes that send them would run wrong ones.
    def test_more_items_than_have_a_number_are_refused(self):
        result = run("race", SUMS, "--schemes", "serial", *QUICK, env=with_trouble("many items"), preexec_fn=no_core)
        self.assertEqual(result.returncode, 2, result)
        self.assertIn("4294967296 items", result.stderr)
        self.assertIn("allowed are 1 to 4294967295", result.stderr)

    def test_what_is_none_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            plain = os.path.join(folder, "plain.so")
            with open(plain, "w", encoding="utf-8") as file:
                file.write("no library")
            for words, says in ((["./nowhere.so"], "./nowhere.so: No such file"),
                                ([plain], "is no workload: "),
                                ([ROOT], "is no workload: "),
                                (["/lib/x86_64-linux-gnu/libm.so.6"], "exports no function regatta_workload"),
                                ([COLLATZ, "--size", "0"], "size 0 is out of range 1 to 1000000"),
                                ([COLLATZ, "--kernel", "blas"], "does not read --kernel")):
                for command in ("race", "scale", "advise"):
                    if command == "advise" and not words[0].endswith(".so"):
                        continue  # That is a file to read.
                    with self.subTest(words=[command, *words]):
                        result = run(command, *words, *QUICK)
                        self.assertEqual(result.returncode, 2, result)
                        self.assertIn(says, result.stderr)
                        self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main(verbosity=1)
