# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""`regatta race isolation`: what it writes, and that its noise ends with it."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

import support
from support import (REGATTA, OnTerminal, children_of, children_with, environment, is_gone, run,
                     wait_until)

# An experiment of half a second.
SHORT = ["--rounds", "2", "--work", "0.01"]
LONG = ["--rounds", "1000"]
MODES = ["alone", "unpinned", "pinned", "exclusive"]


def leases_of(pid):
    """The leases of a process, also of one that has died."""
    document = json.loads(run("cpus", "status", "--json", "-").stdout)
    return [lease for lease in document["leases"] if lease["process"] == pid]


def measured(*words):
    """The document of an experiment, which keeps to its schema."""
    result = run("race", "isolation", *SHORT, *words, "--json", "-")
    if result.returncode != 0:
        raise AssertionError(result)
    document = json.loads(result.stdout)
    support.validate(document, "race_isolation")
    return document, result.stderr


class RaceIsolation(unittest.TestCase):
    def refused(self, *words, says):
        result = run("race", *words)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        for text in says:
            self.assertIn(text, result.stderr)

    def test_json_has_the_four_modes(self):
        document, table = measured()
        self.assertEqual([mode["name"] for mode in document["modes"]], MODES)
        self.assertEqual(document["noise"], {"kind": "hostile", "count": 2})
        self.assertEqual(document["rounds"], 2)
        self.assertIn("--work 0.01", document["command"])
        self.assertEqual(document["modes"][0]["slowdown"], 1)
        self.assertEqual(document["modes"][0]["verdict"], "baseline")
        for mode in document["modes"]:
            if mode["status"] == "ok":
                self.assertEqual(len(mode["rounds"]), 2)
                self.assertGreater(mode["cpu_share"], 0)
            else:
                self.assertEqual((mode["name"], mode["status"]), ("exclusive", "unavailable"))
                self.assertTrue(mode["reason"])
        self.assertIn("slowdown", table)
        for sentence in document["summary"]:
            self.assertIn(sentence.split()[0], " ".join(table.split()))

    def test_each_kind_of_noise(self):
        for noise in ("spread:3", "bursty:2"):
            document, _ = measured("--noise", noise)
            kind, count = noise.split(":")
            self.assertEqual(document["noise"], {"kind": kind, "count": int(count)})
            used = {mode["name"]: sum(sample["noise_cpu_ns"] for sample in mode["rounds"])
                    for mode in document["modes"]}
            # A single sample is so short that the noise may get no CPU in it.
            self.assertEqual(used.pop("alone"), 0, noise)
            self.assertGreater(sum(used.values()), 0, noise)

    def test_without_made_noise_the_load_that_is_there_counts(self):
        # The load: the test's own process, which is none of the experiment's.
        with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as load:
            try:
                document, table = measured("--noise", "none")
            finally:
                load.kill()
        self.assertEqual(document["noise"], {"kind": "none", "count": 0})
        alone, unpinned, pinned, _ = document["modes"]
        self.assertEqual(unpinned["status"], "unavailable")
        self.assertIn("the same as alone", unpinned["reason"])
        for mode in (alone, pinned):
            self.assertEqual((mode["dropped"], mode["disturbed"]), (0, False))
            self.assertGreater(mode["other_cpus"], 0)
        self.assertIn("others", table)
        for wrong in ("none:1", "none:0", "no"):
            self.refused("isolation", "--noise", wrong, says=["none", "hostile:M"])

    def test_a_program_of_ones_own_runs_in_the_four_modes(self):
        busy = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit $(({workers} - 1))"
        result = run("race", "isolation", "--rounds", "2", "--json", "-", "--", "sh", "-c", busy)
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        support.validate(document, "race_isolation")
        self.assertIn("sh -c", document["program"])
        self.assertIn("$((1 - 1))", document["program"])
        self.assertIsNone(document["units"])
        for mode in document["modes"]:
            if mode["status"] == "ok":
                self.assertGreater(mode["user_ns"] + mode["system_ns"], 0)
                self.assertIsNone(mode["migrations"])
                self.assertEqual([each["workers"] for each in mode["rounds"]], [[], []])
        self.assertIn("user", result.stderr)

    # "`{workers}` in its words becomes the number of workers", in the first one, too
    def test_the_name_of_a_program_may_have_the_number_of_workers(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink("/bin/true", os.path.join(folder, "run1"))
            result = run("race", "isolation", "--rounds", "1", "--json", "-", "--", folder + "/run{workers}")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["program"], folder + "/run1")

    def test_a_program_that_fails_is_a_failure(self):
        result = run("race", "isolation", "--rounds", "1", "--", "sh", "-c", "echo why >&2; exit 3")
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("exited with status 3: why", " ".join(result.stdout.split()))

    def test_words_in_brackets_reach_the_program_as_they_were_typed(self):
        tell = ["sh", "-c", 'printf "%s|" "$@" >&2; exit 3', "sh", "[a,b]", "[]", "[x]"]
        result = run("race", "isolation", "--rounds", "1", "--", *tell)
        self.assertIn("exited with status 3: [a,b]|[]|[x]|", " ".join(result.stdout.split()), result)

    def test_a_program_stands_after_the_mark_and_has_to_be_there(self):
        self.refused("isolation", "true", says=["after --", "regatta race isolation -- true"])
        self.refused("isolation", "--", says=["after -- stands no program"])
        self.refused("isolation", "--", "/nowhere/x", says=["/nowhere/x"])
        self.refused("isolation", "--", "no_such_program_x", says=["no_such_program_x", "PATH"])
        self.refused("isolation", "--work", "1ms", "--", "true", says=["--work", "program"])

    def test_each_worker_has_its_own_figures(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU")
        document, table = measured("--workers", "2")
        for mode in document["modes"]:
            for each in mode["rounds"]:
                self.assertEqual(len(each["workers"]), 2)
                self.assertEqual(each["ns"], max(one["wall_ns"] for one in each["workers"]))
        self.assertIn("round  worker", table)

    def test_it_stands_below_cpus_too(self):
        result = run("cpus", "isolation", *SHORT, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        support.validate(document, "race_isolation")
        self.assertIn("cpus isolation", document["command"])
        self.assertIn("isolation, pin, plan", run("cpus").stdout)

    def test_as_many_workers_as_cpus_leave_none_to_own(self):
        cpus = len(os.sched_getaffinity(0))
        document, table = measured("--workers", str(cpus))
        self.assertEqual(document["workers"], cpus)
        self.assertEqual(len(set(document["worker_cpus"])), cpus)
        owned = document["modes"][3]
        self.assertEqual(owned["status"], "unavailable")
        self.assertIn("exclusive is not available here", " ".join(table.split()))

    def test_csv_has_a_line_a_sample(self):
        result = run("race", "isolation", *SHORT, "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        modes = [row["mode"] for row in rows if row["round"] == "1"]
        self.assertEqual(modes, MODES[:len(modes)])
        self.assertIn(len(rows), (6, 8))
        for row in rows:
            self.assertNotIn(None, row)
            self.assertGreater(float(row["ns"]), 0)

    def test_columns_are_kept(self):
        for columns in (40, 80):
            result = run("race", "isolation", *SHORT, env=environment(COLUMNS=str(columns)))
            self.assertEqual(result.returncode, 0, result.stderr)
            for line in result.stdout.splitlines():
                # A path in an explanation may be longer; nothing breaks words.
                if " " in line.strip():
                    self.assertLessEqual(len(line), columns, line)

    def test_wrong_words_are_refused_with_what_is_right(self):
        for noise in ("hostile", "hostile:0", "loud:2", "spread:65", ""):
            self.refused("isolation", "--noise", noise,
                         says=["--noise", f'"{noise}"', "hostile:M, spread:M, bursty:M"])
        for workers in ("0", "-1", "two", "100000"):
            self.refused("isolation", "--workers", workers, says=["--workers"])
        self.refused("isolation", "--workers", "1024", says=["1024 workers need as many CPUs"])
        self.refused("isolation", "--rounds", "0", says=["--rounds"])
        self.refused("isolation", "--work", "0", says=["--work"])
        self.refused("isolation", "--cpus", "0-", says=["--cpus", "0-"])
        self.refused("isolation", "--cpus", "", says=["--cpus", "names no CPU"])
        self.refused("isolation", "--cpus", "99999", says=["99999", "those that may are"])
        self.refused("isolation", "--json", "-", "--csv", "-", says=["standard output"])
        self.refused("isolation", "--schemes", "serial", says=["--schemes"])

    def test_options_of_the_race_before_it_are_refused_and_not_lost(self):
        self.refused("--rounds", "3", "isolation", says=['"--rounds" stands before "isolation"'])

    def test_help_has_examples(self):
        result = run("race", "isolation", "--help")
        self.assertEqual(result.returncode, 0)
        for text in ("--noise", "--move-others", "Examples:", "Exit status"):
            self.assertIn(text, result.stdout)

    def test_an_unwritable_file_is_known_before_the_experiment(self):
        self.refused("isolation", *LONG, "--json", "/nowhere/result.json",
                     says=["/nowhere/result.json", "No such file"])

    def test_ctrl_c_tells_what_was_measured_and_ends_the_noise(self):
        terminal = OnTerminal("race", "isolation", *LONG)
        terminal.read_until(b"round 2")
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        self.assertIn(b"Cut short after", terminal.output)
        self.assertEqual(children_of(terminal.pid), {})

    def test_a_kill_ends_the_noise(self):
        # All of the noise holds the pipe of standard error open, so that its end is theirs.
        with tempfile.TemporaryFile() as result:
            process = subprocess.Popen([REGATTA, "race", "isolation", *LONG, "--cpus",
                                        str(max(os.sched_getaffinity(0)))],
                                       stdout=result, stderr=subprocess.PIPE, env=environment())
            noise = wait_until(lambda: children_with(process.pid, "--regatta-noise"), "noise")
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)
            for pid in noise:
                wait_until(lambda p=pid: is_gone(p), "its end")
        # Whatever it had taken at that moment is given back.
        wait_until(lambda: not leases_of(process.pid), "the lease is undone")

    # "where others own the CPUs meanwhile", the mode is not available, and the others are told.
    def test_cpus_that_others_take_in_the_middle_are_no_failure(self):
        cpu = str(max(os.sched_getaffinity(0)))
        with tempfile.TemporaryFile("w+") as result:
            process = subprocess.Popen([REGATTA, "race", "isolation", "--rounds", "40", "--work", "10ms", "--cpus", cpu,
                                        "--json", "-", "--quiet"], stdout=result, env=environment())
            self.addCleanup(process.kill)
            wait_until(lambda: children_with(process.pid, "--regatta-noise"), "noise")

            def owner():
                """Owns the CPU between two samples, for the rest of the experiment."""
                one = subprocess.Popen([REGATTA, "cpus", "run", cpu, "--", "sh", "-c", "echo mine; exec sleep 200"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())
                if one.stdout.readline() == b"mine\n":
                    return one
                one.communicate(timeout=60)
                return process.poll() is not None
            other = wait_until(owner, "a lease")
            try:
                self.assertEqual(process.wait(100), 0)
            finally:
                if isinstance(other, subprocess.Popen):
                    other.terminate()
                    other.communicate(timeout=60)
            result.seek(0)
            document = json.load(result)
        support.validate(document, "race_isolation")
        exclusive = document["modes"][3]
        self.assertIn(exclusive["status"], ("ok", "unavailable"), exclusive)
        if isinstance(other, subprocess.Popen) and exclusive["status"] == "unavailable":
            self.assertTrue(exclusive["reason"])
        for mode in document["modes"][:3]:
            self.assertEqual((mode["status"], len(mode["rounds"])), ("ok", 40))

    def test_noise_is_not_for_users(self):
        result = run("--regatta-noise", "spread")
        self.assertEqual(result.returncode, 2)
        self.assertIn("starts itself", result.stderr)


if __name__ == "__main__":
    support.main()
