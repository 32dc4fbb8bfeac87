# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What a race writes, and where."""

import array
import csv
import fcntl
import html.parser
import io
import json
import os
import re
import signal
import subprocess
import tempfile
import termios
import unicodedata
import unittest

import support
from support import EVERYBODY, QUICK, REGATTA, OnTerminal, environment, run, wait_until

F_SETPIPE_SZ = 1031  # Python has its name since 3.10.


class Output(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The one race of every scheme, which three tests look at.
        cls.everybody = run("race", *EVERYBODY, "--size", "128", "--rounds", "7", "--seed", "5", "--workers", "3",
                            "--margin", "2.5", "--json", "-", env=environment(COLUMNS="60", REGATTA_PYTHON=None))

    def test_json_keeps_to_its_schema_and_says_what_happened(self):
        result = self.everybody
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        support.validate(document, "race")
        self.assertEqual(document["settings"]["size"], 128)
        self.assertEqual(document["seed"], 5)
        self.assertIn(document["order_seed"], range(2 ** 32))
        self.assertEqual(document["rounds"], 7)
        self.assertIn("--size 128", document["command"])
        self.assertIn("speed-up", result.stderr)  # the table gives way
        for line in result.stderr.splitlines():
            self.assertLessEqual(len(line), 60, line)
        schemes = {s["name"]: s for s in document["schemes"]}
        self.assertEqual(schemes["std_thread"]["verdict"], "baseline")
        for scheme in schemes.values():
            self.assertIn(scheme["status"], ("ok", "skipped"), scheme)
            if scheme["status"] == "ok":
                self.assertTrue(scheme["verified"])
                self.assertEqual(len(scheme["samples"]), 7)

    def test_the_parts_of_the_time_sum_to_workers_times_wall(self):
        for scheme in json.loads(self.everybody.stdout)["schemes"]:
            if scheme["status"] != "ok":
                continue
            whole = scheme["attribution_workers"] * scheme["median_ns"]
            self.assertGreaterEqual(scheme["attribution_workers"], 3)
            self.assertAlmostEqual(sum(scheme["attribution"].values()) / whole, 1, delta=0.02,
                                   msg=scheme["name"])

    def test_a_race_of_all_schemes_is_without_those_in_python(self):
        raced = [scheme["name"] for scheme in json.loads(self.everybody.stdout)["schemes"]]
        listed = [scheme["name"] for scheme in json.loads(run("race", "--list", "--json", "-").stdout)["schemes"]]
        self.assertIn("steady", raced)
        for scheme in listed:
            if scheme.startswith("python"):
                self.assertNotIn(scheme, raced)

    def test_fewer_items_than_a_99th_percentile_takes_are_told(self):
        for items, told in (("99", True), ("100", False)):
            result = run("race", "primes", "--size", items, "--max-prime", "1000", "--schemes", "steady",
                         "--rate", "20000/s", "--rounds", "2", "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            notes = " ".join(json.loads(result.stdout)["notes"])
            self.assertEqual("a run has 99 items and a 99th percentile takes 100" in notes, told, notes)

    def test_a_rate_is_raced_by_latency(self):
        result = run("race", "empty", "--size", "200", "--rate", "20000/s", "--rounds", "2", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        support.validate(document, "race")
        self.assertEqual(document["rate"], 20000)
        self.assertEqual(document["judged"], "p99_latency")
        schemes = {s["name"]: s for s in document["schemes"]}
        for name in ("steady", "balanced", "dynamic", "worker_pool", "mutex_queue", "async_bus"):
            self.assertEqual(schemes[name]["latency_ns"]["count"] % 200, 0, schemes[name])
            self.assertGreater(schemes[name]["latency_ns"]["count"], 0)
            self.assertIsNone(schemes[name]["attribution"])
        self.assertEqual(schemes["std_thread"]["status"], "skipped")
        self.assertIn("items/s offered", " ".join(result.stderr.split()))
        self.assertIn("99th percentiles", " ".join(result.stderr.split()))

    def test_a_race_of_short_runs_has_more_than_15_rounds_unless_told(self):
        words = ["race", "primes", "--size", "1", "--schemes", "serial", "--json", "-"]
        result = run(*words)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(json.loads(result.stdout)["rounds"], range(16, 61))
        self.assertEqual(json.loads(run(*words, "--rounds", "3").stdout)["rounds"], 3)

    def test_items_of_each_length_are_raced_and_name_their_settings(self):
        for name, size in (("empty", 1000), ("allocate", 1000), ("uneven", 100), ("within", 1000)):
            schemes = "serial,mutex_queue" + (",processes" if name != "within" else "")
            result = run("race", name, "--schemes", schemes, "--size", str(size), "--rounds", "1",
                         "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            document = json.loads(result.stdout)
            self.assertEqual(document["settings"]["size"], size)
            self.assertEqual(document["items"], size + (name == "within"))
            for scheme in document["schemes"]:
                self.assertTrue(scheme["verified"], scheme)
            tiny = any("too short to be timed" in note for note in document["notes"])
            self.assertEqual(tiny, name in ("empty", "allocate", "within"))

    def test_what_divides_itself_is_raced_with_forks(self):
        for name, size in (("fib", 24), ("triad", 1000)):
            result = run("race", name, "--schemes", "serial,regatta_fork", "--size", str(size),
                         "--rounds", "1", "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            document = json.loads(result.stdout)
            self.assertTrue(any("keep no log" in note for note in document["notes"]))
            for scheme in document["schemes"]:
                self.assertTrue(scheme["verified"], scheme)
                self.assertEqual(scheme["attribution"]["unlogged"], 0, scheme)

    def test_the_usual_size_is_the_workloads_own(self):
        result = run("race", "uneven", "--schemes", "serial", "--rounds", "1", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["settings"]["size"], 10000)

    def test_the_users_number_of_blas_threads_is_for_programs_alone(self):
        for value in ["3", "abc", None]:
            unchanged = f"test \"${{OPENBLAS_NUM_THREADS-unset}}\" = {value or 'unset'}"
            result = run("race", "matmul", *QUICK, "--workers", "2", "--schemes", "blas_threads,std_thread",
                         "--command", f"program=sh -c '{unchanged}'", "--json", "-", "--quiet",
                         env=environment(OPENBLAS_NUM_THREADS=value))
            self.assertEqual(result.returncode, 0, (value, result.stderr))
            for scheme in json.loads(result.stdout)["schemes"]:
                if scheme["name"] != "blas_threads" or scheme["status"] != "skipped":
                    self.assertEqual(scheme["status"], "ok", (value, scheme["reason"]))

    def test_a_margin_of_minus_nothing_is_nothing(self):
        result = run("race", "--schemes", "serial", *QUICK, "--margin", "-0", "--json", "-")
        self.assertEqual(str(json.loads(result.stdout)["margin"]), "0.0")
        self.assertIn("differences of 0 %", " ".join(result.stderr.split()))

    def test_csv_has_a_line_a_scheme(self):
        result = run("race", "--schemes", "serial,std_thread", *QUICK, "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual([row["name"] for row in rows], ["serial", "std_thread"])
        for row in rows:
            self.assertNotIn(None, row)  # more fields than the header has
            self.assertNotIn(None, row.values())
            self.assertEqual(row["status"], "ok")
            self.assertGreater(float(row["median_ns"]), 0)
            self.assertEqual(row["samples"], "2")

    def test_pages_have_the_report_and_its_origin(self):
        with tempfile.TemporaryDirectory() as folder:
            markdown, page = (os.path.join(folder, name) for name in ("report.md", "report.html"))
            for words, told in ((["race", "--schemes", "serial,std_thread", *QUICK], "where the time went"),
                                (["race", "--command", "a=true '<&-'", "--rounds", "1"], "CPU time"),
                                (["race", "--schemes", "serial", *QUICK, "--workers", "1,2"], "drawn"),
                                (["race", "--schemes", "serial", *QUICK, "--launches", "2"], "over launches"),
                                (["race", "empty", "--schemes", "steady", "--size", "100", "--rate", "20000",
                                  "--rounds", "1"], "p99.9"),
                                (["scale", "primes", "--size", "20", "--rounds", "1", "--workers", "1,2"], "effic.")):
                result = run(*words, "-q", "--markdown", markdown, "--html", page)
                self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
                with open(markdown, encoding="utf-8") as file:
                    text = file.read()
                self.assertTrue(text.startswith("### "), text)
                for part in (told, "| --: |", "Processor", " ".join(words[:2])):
                    self.assertIn(part, text)
                with open(page, encoding="utf-8") as file:
                    text = file.read()
                self.assertTrue(text.startswith("<!doctype html>"), text)
                open_tags = []
                parser = html.parser.HTMLParser()
                parser.handle_starttag = lambda tag, _: tag != "meta" and open_tags.append(tag)
                parser.handle_endtag = lambda tag: self.assertEqual(open_tags.pop(), tag)
                parser.feed(text)
                self.assertEqual(open_tags, [])
                self.assertIn(told, text)
                self.assertNotIn("<&-", text)  # what was typed is text

    def test_a_page_on_standard_output_stands_alone(self):
        for option, first in (("--markdown", "### "), ("--html", "<!doctype html>")):
            result = run("race", "--schemes", "serial", *QUICK, option, "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue(result.stdout.startswith(first), result.stdout)
            self.assertIn("serial", result.stderr)  # the table gives way

    def test_files_are_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write("x" * 1000000)
            table = os.path.join(folder, "result.csv")
            result = run("race", "--schemes", "serial", *QUICK, "--json", path, "--csv", table)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("serial", result.stdout)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["workload"], "matmul")
            self.assertTrue(os.path.getsize(table) > 0)

    def test_a_folder_that_takes_no_file_says_so(self):  # Not that there is none of that name.
        result = run("race", "--schemes", "serial", *QUICK, "--json", "/sys/result.json")
        self.assertEqual(result.returncode, 2, result)
        self.assertRegex(result.stderr, "cannot write /sys/result.json: (Permission denied|Read-only file system)")

    def test_workers_beyond_the_cpus_are_labelled(self):
        result = run("race", "--schemes", "std_thread,processes", *QUICK, "--workers", "64")
        self.assertEqual(result.returncode, 0, result.stderr)
        if os.sched_getaffinity(0) and len(os.sched_getaffinity(0)) < 64:
            self.assertIn("Oversubscribed: 64 workers", result.stdout)

    def test_a_pipe_gets_neither_colours_nor_a_progress_bar(self):
        result = run("race", "--schemes", "serial", *QUICK)
        self.assertNotIn("\x1b", result.stdout + result.stderr)
        self.assertEqual(result.stderr, "")

    def test_clicolor_force_colours_a_pipe_and_no_color_wins(self):
        words = ["race", "--schemes", "serial", *QUICK]
        self.assertIn("\x1b[", run(*words, env=environment(CLICOLOR_FORCE="1")).stdout)
        both = environment(CLICOLOR_FORCE="1", NO_COLOR="1")
        self.assertNotIn("\x1b", run(*words, env=both).stdout)

    def test_wide_names_leave_the_columns_in_their_places(self):
        def columns_of(text):
            return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)
        result = run("race", "--schemes", "日本語=serial,e\u0301=serial,x=std_thread", *QUICK)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = re.findall(r"^((?:日本語|e\u0301|x) .*? [mµ]?s ) ", result.stdout, re.M)
        self.assertEqual(len(rows), 3, result.stdout)
        self.assertEqual(len({columns_of(row) for row in rows}), 1, rows)

    def test_columns_are_kept(self):
        # Every report at every width: the unit tests of the tables.
        some = "serial,std_thread,worker_pool,processes,zmq_inproc_chunk"
        for columns in (40, 60, 80):
            result = run("race", "--schemes", some, *QUICK, env=environment(COLUMNS=str(columns)))
            self.assertEqual(result.returncode, 0, result.stderr)
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), columns, line)

    def test_a_locale_without_utf8_gets_ascii(self):
        result = run("race", "--schemes", "serial", *QUICK, env=environment(LC_ALL="C"))
        self.assertTrue(result.stdout.isascii(), result.stdout)

    def test_a_closed_pipe_is_an_error_and_no_crash(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run([REGATTA, "race", "--schemes", "serial", *QUICK], stdout=writer,
                                stderr=subprocess.PIPE, env=environment(), timeout=100,
                                check=False)
        os.close(writer)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"Broken pipe", result.stderr)

    def test_a_closed_standard_output_is_an_error_and_spoils_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            words = [REGATTA, "race", "--schemes", "serial,processes", *QUICK, "--json", path]
            for closed in (">&-", "<&- >&-", ">&- 2>&-"):
                done = subprocess.run(["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *words],
                                      stderr=subprocess.PIPE, env=environment(), timeout=100,
                                      check=False)
                self.assertEqual(done.returncode, 1, closed)
                if "2>" not in closed:
                    self.assertIn(b"cannot write the report: Bad file", done.stderr)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(json.load(file)["schemes"][1]["status"], "ok")

    def test_a_pipe_that_takes_nothing_for_a_while_gets_everything(self):
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        capacity = fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
        with open(reader, "rb") as output:
            process = subprocess.Popen([REGATTA, "race", "--list", "--json", "-"], stdout=writer,
                                       stderr=subprocess.PIPE, env=environment())
            os.close(writer)
            full = array.array("i", [0])

            def is_full():
                fcntl.ioctl(reader, termios.FIONREAD, full)
                return full[0] == capacity or process.poll() is not None
            wait_until(is_full, "a full pipe")
            document = output.read()
        _, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, error), (0, b""))
        self.assertGreater(len(document), capacity)
        support.validate(json.loads(document), "list")

    def test_a_full_disk_does_not_cost_the_other_views(self):
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "result.csv")
            result = run("race", "--schemes", "serial", *QUICK, "--json", "/dev/full", "--csv",
                         table)
            self.assertEqual(result.returncode, 1)
            self.assertIn("cannot write /dev/full: No space left on device", result.stderr)
            self.assertIn("serial", result.stdout)
            self.assertGreater(os.path.getsize(table), 0)

    @unittest.skipUnless(os.geteuid() == 0, "needs a mount namespace, which only root may make")
    def test_a_full_disk_does_not_cost_the_older_result(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=8k none "$1" && cd "$1" || exit 77;'
                 ' echo older > result; head -c 4096 /dev/zero > rest; "$0" info --json result; status=$?;'
                 " cat result >&2; exit $status", REGATTA, folder], env=environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100, encoding="utf-8", check=False)
            if "unshare" in done.stderr or done.returncode == 77:
                self.skipTest(done.stderr)
            self.assertEqual(done.returncode, 1, done)
            self.assertEqual(done.stderr, "regatta: cannot write result: No space left on device\nolder\n")

    def test_a_limit_of_file_sizes_is_an_error_and_no_crash(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")

            def limited(*words):
                done = subprocess.run(["/bin/sh", "-c", 'ulimit -f 1; exec "$@"', "sh", REGATTA, *words,
                                       "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      timeout=100, env=environment(), encoding="utf-8", check=False)
                self.assertEqual(done.returncode, 1, done)
                return done
            done = limited("info")
            self.assertIn(f"cannot write {path}: File too large", done.stderr)
            self.assertIn("OpenBLAS", done.stdout)
            self.assertFalse(os.path.exists(path))
            with open(path, "w", encoding="utf-8") as file:
                file.write("an older result")
            limited("info")
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "an older result")
            # The shared memory counts, too.
            self.assertIn("File too large", limited("race", "--schemes", "serial", *QUICK).stderr)
        result = run("race", "--command", "ended=sh -c 'kill -s XFSZ $$'", "--rounds", "1")
        self.assertIn("FAILED ended: was killed by signal 25", result.stdout)  # By default, as ever.

    def test_a_terminal_gets_colours_and_a_progress_bar_that_goes_away(self):
        terminal = OnTerminal("race", "--schemes", "serial,std_thread", *QUICK)
        self.assertEqual(terminal.status(), 0)
        bar, report = terminal.output.split(b"\r\x1b[K")
        self.assertIn(b"warm-up", bar)
        self.assertNotIn(b"\r", report.replace(b"\r\n", b""))
        self.assertIn(b"\x1b[1m", report)

    def test_the_cursor_stays(self):  # Nobody would show it again after Ctrl-Z, or a kill.
        terminal = OnTerminal("race", "--schemes", "serial", "--size", "2048", "--time", "1000")
        terminal.read_until(b"warm-up")
        os.kill(terminal.pid, signal.SIGKILL)
        self.assertEqual(terminal.status(), -signal.SIGKILL)
        self.assertNotIn(b"\x1b[?25l", terminal.output)

    def test_the_progress_line_keeps_to_a_narrow_terminal(self):
        for columns in (20, 40, 60):
            terminal = OnTerminal("race", "--schemes", "some_scheme_of_a_long_name=serial", *QUICK,
                                  columns=columns)
            self.assertEqual(terminal.status(), 0)
            progress = terminal.output[:terminal.output.rindex(b"\r\x1b[K")].decode()
            for line in progress.replace("\x1b[K", "").split("\r"):
                self.assertLess(len(line), columns, line)

    def test_terminals_that_want_none_of_it(self):
        dumb = OnTerminal("race", "--schemes", "serial", *QUICK, env=environment(TERM="dumb"))
        self.assertEqual(dumb.status(), 0)
        self.assertNotIn(b"\x1b", dumb.output)
        plain = OnTerminal("race", "--schemes", "serial", *QUICK, env=environment(NO_COLOR="1"))
        self.assertEqual(plain.status(), 0)
        self.assertNotIn(b"\x1b[1m", plain.output)


if __name__ == "__main__":
    support.main()
