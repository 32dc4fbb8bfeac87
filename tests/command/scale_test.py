# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""`regatta scale`: what it writes, what it refuses, and how it ends early."""

import csv
import io
import json
import os
import tempfile
import unittest

import support
from support import OnTerminal, children_of, environment, run

# Measurements of a fraction of a second.
SHORT = ["--rounds", "2", "--size", "20", "--max-prime", "3000"]
QUICK = [*SHORT, "--workers", "1,2"]
LONG = ["--rounds", "100000", "--size", "20", "--max-prime", "1000", "--workers", "1,2"]


def measured(*words):
    """The document of a measurement, which keeps to its schema, and the report."""
    result = run("scale", *words, "--json", "-")
    if result.returncode != 0:
        raise AssertionError(result)
    document = json.loads(result.stdout)
    support.validate(document, "scale")
    return document, result.stderr


class Scale(unittest.TestCase):
    def refused(self, *words, says, status=2, env=None):
        result = run("scale", *words, env=env)
        self.assertEqual(result.returncode, status, result)
        self.assertEqual(result.stdout, "")
        for text in says:
            self.assertIn(text, result.stderr)

    def test_the_peak_is_that_of_the_elements(self):
        for kind in ("float", "double"):
            document, report = measured("matmul", "--size", "64", "--type", kind, "--workers", "1",
                                        "--rounds", "1")
            self.assertIn(f" {kind}s at once", document["peak"]["source"])

    def test_json_has_a_point_for_each_number_of_workers(self):
        document, report = measured("primes", *SHORT, "--workers", "4,2,2,1", "--seed", "7")
        self.assertEqual(document["schema"], "regatta-scale/1")
        self.assertEqual(document["workload"], "primes")
        self.assertEqual(document["scheme"], "std_thread")
        self.assertEqual(document["settings"]["max_prime"], 3000)
        self.assertEqual((document["rounds"], document["items"], document["seed"]), (2, 20, 7))
        self.assertIn("--max-prime 3000", document["command"])
        self.assertEqual([point["workers"] for point in document["points"]], [1, 2, 4])
        for point in document["points"]:
            self.assertEqual(point["status"], "ok", point)
            self.assertEqual(len(point["samples"]), 2)
            self.assertAlmostEqual(point["efficiency"],
                                   point["speedup"]["median"] / point["workers"])
            self.assertAlmostEqual(point["events_per_second"], 20e9 / point["median_ns"],
                                   delta=point["events_per_second"] / 1e6)
            latency = point["latency_ns"]
            # Runs that others disturbed are left out, unless all of them are; short ones are
            # repeated.
            self.assertGreaterEqual(latency["count"], 20)
            self.assertEqual(latency["count"] % 20, 0)
            order = [latency[name] for name in ("min", "median", "p95", "p99", "max")]
            self.assertEqual(order, sorted(order))
        self.assertEqual(document["points"][0]["speedup"]["median"], 1)
        self.assertEqual(document["points"][0]["verdict"], "baseline")
        self.assertIn("few_rounds", [warning["kind"] for warning in document["warnings"]])
        self.assertIn("speed-up", report)  # the text gives way
        self.assertIn("In sysbench's terms", report)
        for sentence in document["summary"]:
            self.assertIn(sentence.split()[0], " ".join(report.split()))

    def test_one_worker_is_always_among_them(self):
        document, _ = measured("primes", *SHORT, "--workers", "2")
        self.assertEqual([point["workers"] for point in document["points"]], [1, 2])

    def test_auto_goes_to_twice_the_cpus(self):
        document, _ = measured("primes", *SHORT)
        counts = [point["workers"] for point in document["points"]]
        self.assertEqual(counts[0], 1)
        self.assertEqual(counts[-1], 2 * document["cpus"])
        self.assertIn(document["cpus"], counts)

    def test_other_workloads_and_schemes(self):
        document, report = measured("matmul", "--size", "64", "--rounds", "1", "--workers", "1,2",
                                    "--scheme", "steady")
        self.assertEqual(document["unit"], "GFLOP")
        self.assertEqual(document["scheme"], "steady")
        self.assertEqual(document["settings"]["kernel"], "naive")
        self.assertIn("GFLOP/s", report)
        self.assertNotIn("sysbench", report)
        for point in document["points"]:
            self.assertAlmostEqual(point["throughput"], 2 * 64**3 / point["median_ns"],
                                   delta=point["throughput"] / 1e6)

    def test_items_too_short_to_be_timed_have_no_latency(self):
        document, report = measured("empty", "--size", "1000", "--rounds", "1", "--workers", "1,2")
        for point in document["points"]:
            self.assertIsNone(point["latency_ns"])
        self.assertNotIn("latency", report.lower())

    def test_an_offered_rate_has_latencies_and_no_speedup(self):
        document, report = measured("primes", *QUICK, "--rate", "2000")
        self.assertEqual(document["rate"], 2000)
        for point in document["points"]:
            self.assertIsNone(point["speedup"])
            self.assertIsNone(point["efficiency"])
            self.assertGreater(point["latency_ns"]["p99"], 0)
        self.assertIn("99th", report)
        self.assertNotIn("speed-up", report)

    def test_csv_has_a_line_a_number_of_workers(self):
        result = run("scale", "primes", *QUICK, "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual([row["workers"] for row in rows], ["1", "2"])
        for row in rows:
            self.assertNotIn(None, row)
            self.assertNotIn(None, row.values())
            self.assertGreater(float(row["events_per_second"]), 0)
            self.assertEqual(row["samples"], "2")

    def test_files_and_the_report_side_by_side(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            result = run("scale", "primes", *QUICK, "--json", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("workers", result.stdout)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["workload"], "primes")

    def test_columns_are_kept(self):
        for columns in (40, 80, 120):
            result = run("scale", "primes", *QUICK, env=environment(COLUMNS=str(columns)))
            self.assertEqual(result.returncode, 0, result.stderr)
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), columns, line)

    def test_a_locale_without_utf8_gets_ascii(self):
        result = run("scale", "primes", *SHORT, env=environment(LC_ALL="C"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(result.stdout.isascii(), result.stdout)

    def test_wrong_words_are_refused_with_what_is_right(self):
        for workers in ("0", "1,x", "x", "", "1,", ",2", "1,0", "1,,2", "1.5", "4096", "1, 2"):
            self.refused("primes", "--workers", workers,
                         says=["--workers", "numbers from 1 to 1024", "or auto"])
        self.refused("primes", "--workers", "-1", says=["--workers"])
        self.refused("primse", says=['there is no workload "primse"', 'did you mean "primes"?'])
        self.refused("primes", "--scheme", "std_thraed",
                     says=['there is no scheme "std_thraed"', 'did you mean "std_thread"?'])
        self.refused("primes", "--scheme", "serial", says=["serial has one worker"])
        self.refused("primes", "--kernel", "tiled", says=["primes does not read --kernel"])
        self.refused("matmul", "--max-prime", "10", says=["matmul does not read --max-prime"])
        for rate in ("0", "-1", "nan", "inf", "many", "1e12"):
            self.refused("primes", "--rate", rate, says=["--rate"])
        self.refused("primes", "--rounds", "0", says=["--rounds"])
        self.refused("primes", "--rounds", "2", "--time", "1", says=["--time", "--rounds"])
        self.refused("primes", "--time", "0", says=["--time"])
        self.refused("primes", "--json", "-", "--csv", "-", says=["standard output"])
        self.refused("primes", "--json", "/nowhere/result.json",
                     says=["/nowhere/result.json", "No such file"])
        # The name that it has in a race, for the one scheme that a measurement has.
        self.refused("primes", "--schemes", "tbb,asio", says=['there is no scheme "tbb,asio"'])
        self.refused("primes", "--schemes", "serial", says=["serial has one worker"])

    def test_items_that_take_hours_to_arrive_are_refused(self):
        self.refused("empty", "--rate", "10",
                     says=["the 100000 items of a run take 167 minutes to arrive",
                           "allowed are up to 5, so offer 334 or more, or run fewer items"])

    def test_what_cannot_run_here_is_told_and_not_measured(self):
        self.refused("primes", "--scheme", "python_threads", status=1,
                     env=environment(REGATTA_PYTHON="/bin/false"), says=["python_threads cannot run: ", "/bin/false"])
        self.refused("primes", "--scheme", "blas_threads", "--workers", "1", status=1,
                     says=["blas_threads cannot run: OpenBLAS has nothing that computes primes"])
        self.refused("within", "--rate", "10", says=["the items of within hand out one another"])
        self.refused("fib", "--rate", "10", says=["fib is one item"])
        self.refused("fib", "--scheme", "std_thread", status=1,
                     says=["std_thread cannot run: fib divides itself by forks"])

    def test_a_workload_that_std_thread_cannot_run_has_another_usual_scheme(self):
        for workload, scheme in (("fib", "regatta_fork"), ("within", "steady"), ("reduce", "regatta_fork")):
            result = run("scale", workload, "--size", "100" if workload != "fib" else "12", "--rounds", "1",
                         "--workers", "1,2", "-q", "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["scheme"], scheme)

    def test_too_few_rounds_have_no_interval(self):
        result = run("scale", "primes", *QUICK)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("intervals are of 95 %", result.stdout)
        self.assertNotIn("…", result.stdout.split("workers  events/s", 1)[1].split("Speed-ups")[0])

    def test_at_a_rate_nothing_is_said_of_a_fit(self):
        result = run("scale", "primes", *SHORT, "--rate", "2000")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("they wait for one another", result.stdout)
        self.assertNotIn("part of the fit", " ".join(result.stdout.split()))
        self.assertIn("Too few clean rounds for a verdict", " ".join(result.stdout.split()))

    def test_help_has_examples(self):
        result = run("scale", "--help")
        self.assertEqual(result.returncode, 0)
        for text in ("--workers", "auto", "--rate", "Examples:", "Exit status"):
            self.assertIn(text, result.stdout)

    def test_ctrl_c_tells_what_was_measured(self):
        terminal = OnTerminal("scale", "primes", *LONG)
        terminal.read_until(b"round 3")
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        report = terminal.output[terminal.output.rindex(b"\r\x1b[K"):].decode()
        self.assertIn("topped after", report)
        self.assertIn("events/s", report)
        self.assertNotIn("FAILED", report)
        self.assertEqual(children_of(terminal.pid), {})

    def test_ctrl_c_before_anything_was_measured(self):
        terminal = OnTerminal("scale", "primes", "--size", "100000", "--max-prime", "100000")
        terminal.read_until(b"warm-up")
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        self.assertIn(b"Nothing was measured", terminal.output)
        self.assertIn(b"Stopped before the first round was complete", terminal.output)
        self.assertNotIn(b"figures rest on", terminal.output)

    def test_worker_processes_end_with_it(self):
        terminal = OnTerminal("scale", "primes", *LONG, "--scheme", "processes")
        terminal.read_until(b"round 1")
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        self.assertEqual(children_of(terminal.pid), {})


if __name__ == "__main__":
    support.main()
