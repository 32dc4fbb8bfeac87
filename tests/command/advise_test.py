# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""`regatta advise`: from files, and from a measurement of its own."""

import ctypes
import json
import os
import struct
import subprocess
import tempfile
import unittest

import support
from support import REGATTA, OnTerminal, environment, run

# As quick as it can be with enough rounds for verdicts.
WORK = ["primes", "--size", "50", "--max-prime", "1000", "--rounds", "6"]


def measured(folder):
    """A race and a measurement of scaling, as paths."""
    paths = [os.path.join(folder, name) for name in ("race.json", "scale.json")]
    words = [["race", *WORK, "--schemes", "serial,std_thread,steady"],
             ["scale", *WORK, "--workers", "1,2"]]
    for path, command in zip(paths, words):
        result = run(*command, "--json", path)
        if result.returncode != 0:
            raise AssertionError(result)
    return paths


class Advise(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.race, cls.scale = measured(cls.folder.name)

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def valid(self, text):
        document = json.loads(text)
        support.validate(document, "advice")
        return document

    def test_a_time_without_a_unit_is_told_in_seconds(self):
        self.skip_where_libraries_cannot_run()
        for time, says in (("1", "; 1 s in all."), ("900ms", "; 900ms in all.")):
            result = run("advise", "primes", "--size", "50", "--max-prime", "1000", "--time", time)
            self.assertIn(says, result.stderr)

    def skip_where_libraries_cannot_run(self):
        if os.environ.get("REGATTA_SANITIZE") == "thread":
            self.skipTest("this sanitizer does not see how libraries order their threads")

    def refused(self, *words, says):
        result = run("advise", *words)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        for text in says:
            self.assertIn(text, result.stderr)

    def test_latencies_are_no_times_of_runs(self):
        for command in (["race", "empty", "--size", "100", "--schemes", "steady"],
                        ["scale", "empty", "--size", "100", "--workers", "1"]):
            path = os.path.join(self.folder.name, "rate.json")
            result = run(*command, "--rate", "20000", "--rounds", "1", "--json", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.refused(path, says=["rate.json: rate: items were offered at a rate"])

    def test_a_named_pipe_is_opened_once(self):
        # Its writer may write as soon as a reader has opened it, and is lost where that one closes it again.
        path = os.path.join(self.folder.name, "pipe")
        os.mkfifo(path)
        libc = ctypes.CDLL(None)
        IN_CLOSE_NOWRITE, IN_OPEN = 0x10, 0x20
        watch = libc.inotify_init1(os.O_NONBLOCK)
        self.addCleanup(os.close, watch)
        self.assertGreaterEqual(libc.inotify_add_watch(watch, path.encode(), IN_CLOSE_NOWRITE | IN_OPEN), 0)
        with open(self.race, encoding="utf-8") as file:
            document = file.read()
        writer = subprocess.Popen(["sh", "-c", "cat > \"$0\"", path], stdin=subprocess.PIPE, encoding="utf-8")
        try:
            result = subprocess.Popen([REGATTA, "advise", path], env=environment(), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
            writer.communicate(document, timeout=100)
            output = result.communicate(timeout=100)
        finally:
            for process in (writer, result):
                process.kill()
                process.wait()
        self.assertEqual(result.returncode, 0, output)
        events = os.read(watch, 65536)
        closed = 0
        while events:
            _, mask, _, length = struct.unpack_from("iIII", events)
            closed += mask & IN_CLOSE_NOWRITE != 0
            events = events[16 + length:]
        self.assertEqual(closed, 1)

    def test_from_files(self):
        result = run("advise", self.race, self.scale, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = self.valid(result.stdout)
        self.assertEqual(document["files"], [self.race, self.scale])
        self.assertEqual(document["workload"], "primes")
        results = {}
        for path in (self.race, self.scale):
            with open(path, encoding="utf-8") as file:
                results[path] = json.load(file)
        # Every figure stands where the advice says that it does.
        for sentence in document["sentences"]:
            for figure in sentence["figures"]:
                value = results[figure["file"]]
                for word in figure["member"].replace("[", ".").replace("]", "").split("."):
                    value = value[int(word)] if word.isdigit() else value[word]
                self.assertEqual(value, figure["value"], figure)
        self.assertIn("regatta race isolation", result.stderr)  # what would say whether to pin

    def test_does_not_write_over_what_it_reads(self):
        with open(self.race, encoding="utf-8") as file:
            text = file.read()
        path, link = self.file("measured.json", text), os.path.join(self.folder.name, "link")
        os.symlink(path, link)
        for words in ([path, "--json", path], ["--json", link, path], [link, "--json", path],
                      [self.scale, path, "--json", os.path.join(self.folder.name, ".", "measured.json")]):
            self.refused(*words, says=["--json", "was read", words[-1]])
        with open(path, encoding="utf-8") as file:
            result = subprocess.run([REGATTA, "advise", "-", "--json", path], stdin=file,
                                    stderr=subprocess.PIPE, timeout=100, encoding="utf-8")
        self.assertEqual(result.returncode, 2)
        self.assertIn("standard input", result.stderr)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)

    def test_names_of_files_give_no_commands_to_the_terminal(self):
        path = os.path.join(self.folder.name, "a\033[31mb")
        os.symlink(self.race, path)
        result = run("advise", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("a?[31mb", result.stdout)
        self.assertNotIn("\033", result.stdout)

    def test_from_standard_input(self):
        with open(self.race, encoding="utf-8") as file:
            result = subprocess.run([REGATTA, "advise", "-", self.scale], stdin=file,
                                    env=environment(), capture_output=True, encoding="utf-8",
                                    timeout=100)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("standard input", result.stdout)

    def test_from_a_measurement(self):
        self.skip_where_libraries_cannot_run()
        result = run("advise", *WORK[:-1], "1", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = self.valid(result.stdout)
        self.assertEqual(document["files"], ["the race", "the scaling"])
        self.assertEqual(document["settings"]["size"], 50)
        self.assertIsNone(document["scheme"])  # one round is no ground for it
        # Before it begins it says what it will measure, and about how long that takes.
        self.assertRegex(result.stderr, r"^Measuring primes: \d+ schemes with \d+ workers?, then std_thread with "
                                        r"[\d, ]+ workers; 1 round each, some \d+ (s|min)\. Ctrl-C ends")
        self.assertIn("6", document["open"][0]["text"])

    def test_a_closed_standard_error_does_not_cost_the_measurement(self):
        self.skip_where_libraries_cannot_run()
        path = os.path.join(self.folder.name, "advice.json")
        result = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", REGATTA, "advise", *WORK[:-1], "1", "--json", path],
                                env=environment(), stdout=subprocess.PIPE, timeout=100, encoding="utf-8")
        self.assertEqual(result.returncode, 0, result)
        with open(path, encoding="utf-8") as file:
            self.valid(file.read())

    def test_from_a_measurement_of_forks(self):
        self.skip_where_libraries_cannot_run()
        result = run("advise", "fib", "--size", "12", "--rounds", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("then regatta_fork with 1, 2", result.stderr)
        # No scheme with processes forks, so there is no such question.
        self.assertIn("Which scheme: ", result.stdout)
        self.assertNotIn("Processes or threads", result.stdout)

    def test_a_folder_with_the_name_of_a_workload_does_not_hide_it(self):
        self.skip_where_libraries_cannot_run()
        os.makedirs(os.path.join(self.folder.name, "here", "primes"))
        here = os.path.join(self.folder.name, "here")
        result = run("advise", *WORK[:-1], "1", cwd=here)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Measuring primes", result.stderr)
        self.refused(here, says=[f"cannot read {here}: Is a directory"])

    def test_files_that_are_no_results_are_refused(self):
        with open(self.race, encoding="utf-8") as file:
            whole = file.read()
        self.refused(self.file("cut.json", whole[:len(whole) // 2]),
                     says=["cut.json: ends in the middle", "line "])
        self.refused(self.file("text.json", "hello"), says=["text.json: is no JSON at line 1"])
        self.refused(self.file("other.json", '{"a": 1}'), says=['no member "schema"'])
        old = whole.replace("regatta-race/1", "regatta-race/0")
        self.refused(self.file("old.json", old), says=["regatta-race/0", "regatta-race/1"])
        self.refused(self.race, self.race, says=["second result of regatta race"])
        self.refused(self.folder.name, self.race, says=["cannot read", "directory"])
        self.refused("nothing.json", says=['no file "nothing.json"'])
        self.refused("nothing.json", self.race, says=["cannot read nothing.json"])
        self.refused("-", "-", says=["standard input (-) is named twice"])
        self.refused(self.file("more.json", whole + " x"), says=["more.json: is no JSON at line"])
        twice = whole.replace("{", '{"workload": "fib",', 1)
        self.refused(self.file("twice.json", twice), says=['twice.json: the member "workload" is there twice'])

    def test_wrong_words(self):
        self.refused("matmul", "primes", says=['"matmul" is a workload and no file; name one workload alone'])
        self.refused("matmull", says=["neither a file nor a workload", '"matmul"'])
        self.refused(self.race, "--rounds", "3", says=["--rounds", "files"])
        self.refused("empty", "--kernel", "naive", says=["empty", "--kernel"])
        self.refused("primes", "--rounds", "0", says=["--rounds"])
        self.refused(self.race, "--json", "", says=["--json"])
        self.refused(self.race, "--json", "/nowhere/advice.json", says=["/nowhere/advice.json"])

    def test_ctrl_c_advises_upon_what_there_is(self):
        self.skip_where_libraries_cannot_run()
        terminal = OnTerminal("advise", *WORK[:-2], "--time", "1000")
        terminal.read_until(b"round 1")
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        self.assertIn(b"cut short", terminal.output)


if __name__ == "__main__":
    support.main()
