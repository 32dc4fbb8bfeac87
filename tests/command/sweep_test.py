# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""A race over a grid of sizes, workers and chunks."""

import csv
import json
import os
import tempfile
import unittest

import support
from support import run

FEW = ["--schemes", "serial,std_thread,steady_batch", "--rounds", "2"]


class Sweep(unittest.TestCase):
    def test_each_cell_is_a_whole_race(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sweep.csv")
            result = run("race", "matmul", "--size", "64,96", "--workers", "1,2", "--chunk", "1,4",
                         "--json", "-", "--csv", path, *FEW)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        document = json.loads(result.stdout)
        support.validate(document, "sweep")
        self.assertEqual(document["axes"],
                         {"size": [64, 96], "workers": [1, 2], "chunk": [1, 4], "capacity": []})
        places = [(cell["size"], cell["workers"], cell["chunk"]) for cell in document["cells"]]
        self.assertEqual(places, [(s, w, c) for s in (64, 96) for w in (1, 2) for c in (1, 4)])
        for cell in document["cells"]:
            race = cell["race"]
            self.assertEqual((race["settings"]["size"], race["workers"], race["chunk"]),
                             (cell["size"], cell["workers"], cell["chunk"]))
            self.assertEqual(race["rounds"], 2)
            self.assertTrue(all(one["verified"] for one in race["schemes"]))
        self.assertEqual(len(rows), 8 * 3)
        self.assertEqual({row["cell_size"] for row in rows}, {"64", "96"})
        for name in ("serial", "std_thread", "steady_batch", "size 64, workers 1, chunk 4",
                     "size/workers/chunk", "96/2/4"):
            self.assertIn(name, result.stderr)

    def test_capacities_are_an_axis_too(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sweep.csv")
            result = run("race", "empty", "--size", "100", "--capacity", "0,3", "--json", "-", "--csv", path,
                         "--schemes", "std_thread,steady,balanced_batch,dynamic", "--rounds", "2")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        document = json.loads(result.stdout)
        support.validate(document, "sweep")
        self.assertEqual(document["axes"]["capacity"], [0, 3])
        self.assertEqual([(cell["capacity"], cell["race"]["capacity"]) for cell in document["cells"]],
                         [(0, None), (3, 3)])
        for cell in document["cells"]:
            self.assertTrue(all(one["verified"] for one in cell["race"]["schemes"]))
        self.assertEqual({row["cell_capacity"] for row in rows}, {"0", "3"})
        self.assertIn("capacity 3", result.stderr)
        result = run("race", "empty", "--size", "100", "--capacity", "3", "--json", "-", "--schemes", "steady",
                     "--rounds", "1")
        self.assertEqual(json.loads(result.stdout)["capacity"], 3)

    def test_a_capacity_is_for_pools_that_take_a_bound(self):
        for words, says in ((["empty", "--capacity", "3", "--schemes", "std_thread,dynamic"],
                             "steady, steady_batch, balanced, balanced_batch"),
                            (["empty", "--capacity", "0,0"], "0 is there twice"),
                            (["empty", "--capacity", "-1"], "from 0 to"),
                            (["empty", "--capacity", "x"], '"x" is not a whole number'),
                            (["--capacity", "3", "--command", "a=true"], "only programs take part")):
            result = run("race", *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn(says, result.stderr)
            self.assertIn("--capacity", result.stderr)

    def test_reuse_is_for_schemes_that_can_do_a_second_job(self):
        result = run("race", "empty", "--reuse", "--schemes", "serial,std_thread", "--rounds", "1")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("--reuse is for schemes that can do a second job", result.stderr)

    def test_a_chunk_is_for_schemes_that_send_several_items(self):
        for words, says in ((["empty", "--chunk", "3", "--schemes", "std_thread,steady"],
                             "steady_batch, balanced_batch, dynamic_batch, zmq_inproc_chunk), and none takes part"),
                            (["empty", "--chunk", "3,4", "--schemes", "serial"], "none takes part"),
                            (["--chunk", "3", "--command", "a=true"], "only programs take part"),
                            (["--reuse", "--command", "a=true"], "only programs take part")):
            result = run("race", *words, "--rounds", "1")
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn(says, result.stderr)
            self.assertIn(words[0] if words[0].startswith("--") else "--chunk", result.stderr)

    def test_an_axis_of_one_value_is_no_sweep(self):
        result = run("race", "--size", "64", "--workers", "1", "--json", "-", *FEW)
        self.assertEqual(result.returncode, 0, result.stderr)
        support.validate(json.loads(result.stdout), "race")

    def test_each_cell_has_its_time(self):
        result = run("race", "--size", "64,96", "--time-each", "300ms", "--json", "-",
                     "--schemes", "serial,std_thread")
        self.assertEqual(result.returncode, 0, result.stderr)
        for cell in json.loads(result.stdout)["cells"]:
            self.assertGreater(cell["race"]["rounds"], 0)
        for other in (["--time", "1s"], ["--rounds", "2"]):
            result = run("race", "--time-each", "300ms", *other)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("--time-each", result.stderr)

    def test_at_a_rate_each_cell_has_its_latencies(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sweep.csv")
            result = run("race", "empty", "--size", "100,200", "--workers", "1,2", "--rate", "20000/s", "--json", "-",
                         "--csv", path, "--schemes", "steady,balanced", "--rounds", "2")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        document = json.loads(result.stdout)
        support.validate(document, "sweep")
        self.assertEqual(document["launches"], 1)
        self.assertEqual(len(document["cells"]), 4)
        for cell in document["cells"]:
            race = cell["race"]
            self.assertEqual((race["rate"], race["judged"], race["workers"]), (20000, "p99_latency", cell["workers"]))
            for one in race["schemes"]:
                latency = one["latency_ns"]
                self.assertEqual(latency["count"] % cell["size"], 0)
                self.assertLessEqual(latency["p99"], latency["max"])
        self.assertTrue(all(0 < int(row["p99_ns"]) <= int(row["max_ns"]) for row in rows))
        self.assertIn("20000 items/s offered", result.stderr)
        self.assertIn("99th percentiles of the latency over those of", " ".join(result.stderr.split()))

    def test_launches_run_every_cell_in_fresh_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sweep.csv")
            result = run("race", "matmul", "--size", "64,96", "--launches", "3", "--order-seed", "50", "--json", "-",
                         "--csv", path, *FEW)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        document = json.loads(result.stdout)
        support.validate(document, "sweep")
        self.assertEqual((document["launches"], document["order_seed"], document["stopped"]), (3, 50, False))
        self.assertEqual([cell["size"] for cell in document["cells"]], [64, 96])
        for cell in document["cells"]:
            self.assertNotIn("race", cell)
            races = cell["launches"]["races"]
            self.assertEqual([race["settings"]["size"] for race in races], [cell["size"]] * 3)
            self.assertEqual([race["order_seed"] for race in races], [50, 51, 52])
            self.assertEqual([race["rounds"] for race in races], [2, 2, 2])
            self.assertEqual([one["name"] for one in cell["launches"]["schemes"]],
                             ["serial", "std_thread", "steady_batch"])
        self.assertEqual([(row["cell_size"], row["launches"]) for row in rows], [("64", "3")] * 3 + [("96", "3")] * 3)
        self.assertIn("2 of 2 races, 3 of 3 launches each", result.stderr)
        self.assertIn("too few clean launches to say", result.stderr)

    def test_launches_say_which_scheme_cannot_run(self):
        for sizes in ("100", "100,200"):
            result = run("race", "empty", "--size", sizes, "--rate", "20000/s", "--schemes", "steady,std_thread",
                         "--rounds", "1", "--launches", "2")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("std_thread was asked for but cannot run: it takes no single tasks", result.stderr)

    def test_one_that_cannot_run_anywhere_is_told_once(self):
        for launches in ([], ["--launches", "2"]):
            result = run("race", "empty", "--size", "100,200", "--rate", "20000/s", "--schemes", "std_thread",
                         "--rounds", "1", "--json", "-", *launches)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertEqual(result.stderr.count("std_thread was asked for but cannot run"), 1, result.stderr)
            self.assertNotIn("Stopped", result.stderr)
            document = json.loads(result.stdout)
            support.validate(document, "sweep")
            self.assertEqual(len(document["cells"]), 2)

    def test_all_cells_are_checked_before_the_first_is_run(self):
        for words, text in ((["--size", "64,3"], "3 is out of range 64 to 2048"),
                            (["--workers", "1,0"], '--workers: "0"'),
                            (["--size", "64,64"], "--size: 64 is there twice"),
                            (["--size", "64,96", "--command", "x=true"], "not in a sweep"),
                            (["--size", "64,96", "--rate", "0.25/s"], "the 96 items of a run take 6 minutes")):
            result = run("race", "matmul", *words, *FEW)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(text, result.stderr)


if __name__ == "__main__":
    unittest.main()
