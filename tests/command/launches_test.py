# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""A race in several fresh processes."""

import csv
import json
import os
import resource
import select
import signal
import subprocess
import tempfile
import unittest

import support
from support import QUICK, REGATTA, run

TWO = ["--schemes", "serial,std_thread", *QUICK]


class Launches(unittest.TestCase):
    def test_each_launch_is_a_whole_race_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "launches.csv")
            result = run("race", *TWO, "--launches", "6", "--order-seed=40", "--json", "-", "--csv", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        document = json.loads(result.stdout)
        support.validate(document, "launches")
        self.assertEqual(document["launches"], 6)
        self.assertFalse(document["stopped"])
        self.assertEqual([race["order_seed"] for race in document["races"]], list(range(40, 46)))
        self.assertEqual([one["name"] for one in document["schemes"]], ["serial", "std_thread"])
        for one in document["schemes"]:
            self.assertLessEqual(one["lowest"], one["highest"])
            if any(scheme["disturbed"] for race in document["races"] for scheme in race["schemes"]):
                continue  # such launches do not count
            self.assertEqual(one["vs_baseline"]["count"], 6)
            self.assertLessEqual(one["lowest"], one["vs_baseline"]["median"])
            self.assertGreaterEqual(one["highest"], one["vs_baseline"]["median"])
            self.assertNotEqual(one["verdict"], "undecided")
        self.assertEqual([row["name"] for row in rows], ["serial", "std_thread"])
        self.assertIn("95 % over launches", result.stderr)

    def test_few_launches_give_no_verdict(self):
        result = run("race", *TWO, "--launches", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("undecided", result.stdout)
        self.assertIn("No verdict: that takes 6 launches at least.", result.stdout)

    def test_at_a_rate_the_latencies_are_compared_and_called_so(self):
        for items, of in (("200", "99th percentile"), ("99", "longest of a run")):
            result = run("race", "primes", "--size", items, "--max-prime", "1000", "--rate", "20000/s",
                         "--schemes", "steady,balanced", "--rounds", "1", "--launches", "6")
            self.assertEqual(result.returncode, 0, result.stderr)
            text = " ".join(result.stdout.split())
            self.assertIn(f"Latency: from when an item was due to its begin, the {of}.", text)
            self.assertRegex(text, "scheme latency ratio")
            self.assertNotRegex(text, "won over|[Tt]he fastest")

    def test_one_launch_is_a_race_and_says_what_it_cannot_see(self):
        result = run("race", "--schemes", "serial,std_thread", "--size", "64", "--rounds", "7", "--launches=1",
                     env=support.environment(COLUMNS="300"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, "where (the time|it) went")

    def test_what_cannot_be_is_refused(self):
        for words, text in ((["--launches", "0"], "--launches"), (["--launches", "many"], "--launches"),
                            (["empty", "--size", "99", "--launches", "2"],
                             "regatta: empty: size 99 is out of range 100 to 100000000\nSee `regatta race --help`.\n"),
                            (["empty", "--rate", "0.1", "--launches", "2"], "minutes to arrive")):
            result = run("race", *(TWO if words[0] == "--launches" else []), *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
            self.assertIn(text, result.stderr)

    def test_a_scheme_that_fails_is_missing(self):
        result = run("race", "--command", "bad=false", "--command", "good=true", "--rounds", "1",
                     "--launches", "2", "--json", "-")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(json.loads(result.stdout)["missing"], ["bad"])
        self.assertIn("Not in every launch: bad, FAILED in launch 1: ", result.stderr)

    def race_and_launch(self):
        """A race that goes on, and its first launch."""
        race = subprocess.Popen([REGATTA, "race", "primes", "--size", "50", "--schemes", "serial", "--time", "1000",
                                 "--launches", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=support.environment(), encoding="utf-8")
        self.addCleanup(race.communicate)
        self.addCleanup(race.kill)
        launch, = support.wait_until(lambda: support.children_with(race.pid, "--quiet"), "a launch")
        return race, launch

    def test_a_launch_that_is_killed_says_by_what(self):
        race, launch = self.race_and_launch()
        os.kill(launch, signal.SIGKILL)
        output, error = race.communicate(timeout=60)
        self.assertEqual((race.returncode, output), (1, ""), error)
        self.assertIn("launch 1 wrote no result: killed by signal 9 (SIGKILL)", error)

    # "Launches before one that writes no result count"
    def test_launches_before_one_that_is_killed_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program, "w", encoding="utf-8") as file:
                # The parent of the launcher is the launch; the second one is killed.
                file.write("#!/bin/sh\n"
                           "launch=$(cut -d ' ' -f 4 /proc/$PPID/stat)\n"
                           f"[ -e {folder}/first ] || echo $launch > {folder}/first\n"
                           f"[ $(cat {folder}/first) = $launch ] || printf '\\033[31mred' >> /proc/$launch/fd/2\n"
                           f"[ $(cat {folder}/first) = $launch ] || kill -9 $launch\n")
            os.chmod(program, 0o755)
            result = run("race", "--command", "killer=" + program, "--rounds", "1", "--launches", "3", "--json", "-")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("regatta: launch 2 wrote no result: killed by signal 9 (SIGKILL); ?[31mred\n", result.stderr)
        document = json.loads(result.stdout)
        support.validate(document, "launches")
        self.assertEqual((document["launches"], len(document["races"]), document["stopped"]), (3, 1, True))

    def test_a_launch_that_writes_a_part_of_its_result_says_why(self):
        race, launch = self.race_and_launch()
        # By then it has its log; the memory of its items is smaller than the limit, its result is not.
        support.wait_until(lambda: support.catches(launch, signal.SIGINT), "the launch's handler")
        resource.prlimit(launch, resource.RLIMIT_CORE, (0, 0))
        resource.prlimit(launch, resource.RLIMIT_FSIZE, (1000, 1000))
        os.kill(launch, signal.SIGINT)
        output, error = race.communicate(timeout=60)
        self.assertEqual((race.returncode, output), (1, ""), error)
        self.assertIn("launch 1 wrote only a part of its result: regatta: cannot write to standard output: File too "
                      "large\n", error)

    # "A second Ctrl-C ends at once", the launch too, and the first one says that it waits.
    def test_a_second_signal_ends_a_launch_that_hangs(self):
        race, launch = self.race_and_launch()
        os.kill(launch, signal.SIGSTOP)
        race.send_signal(signal.SIGINT)
        self.assertTrue(select.select([race.stderr], [], [], 60)[0], "no hint")
        self.assertEqual(race.stderr.readline(), "\n")
        self.assertIn("a second Ctrl-C ends this at once", race.stderr.readline())
        race.send_signal(signal.SIGTERM)
        self.assertEqual(race.wait(60), 143)
        support.wait_until(lambda: support.is_gone(launch), "the end of the launch")

    def test_words_after_a_mark_are_no_options(self):
        result = run("race", "--schemes", "serial", "--size", "100", "--rounds", "2", "--launches", "2", "--", "empty")
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
