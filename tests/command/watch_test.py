# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What `regatta watch` writes for scripts, and what it refuses."""

import json
import os
import pty
import signal
import subprocess
import tempfile
import threading
import unittest

import jsonschema

import support
from support import REGATTA, environment, run

SCHEMA = os.path.join(support.ROOT, "docs", "reference", "watch.schema.json")
FAST = ["--interval", "100ms"]


class Script(unittest.TestCase):
    def validated(self, text):
        """The documents in it."""
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        found = [json.loads(line) for line in text.splitlines()]
        for document in found:
            jsonschema.Draft202012Validator(schema).validate(document)
        return found

    def documents(self, *words):
        result = run("watch", "--json", "-", *words)
        return self.validated(result.stdout), result

    def test_once_gives_one_document(self):
        (document,), result = self.documents("--once", *FAST)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIsNone(document["process"])
        self.assertGreaterEqual(document["elapsed_ns"], 100_000_000)
        with open("/proc/stat", encoding="utf-8") as file:
            cpus = [int(line.split()[0][3:]) for line in file
                    if line.startswith("cpu") and line[3].isdigit()]
        self.assertEqual([cpu["cpu"] for cpu in document["cpus"]], cpus)

    def test_count_gives_as_many_lines(self):
        documents, result = self.documents("--count", "3", *FAST)
        self.assertEqual((len(documents), result.returncode), (3, 0))

    def test_a_busy_thread_is_seen_where_it_runs(self):
        cpu = max(os.sched_getaffinity(0))
        spinner = subprocess.Popen(["sh", "-c", "echo; while :; do :; done"],
                                   stdout=subprocess.PIPE,
                                   preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.addCleanup(spinner.communicate)
        self.addCleanup(spinner.kill)
        spinner.stdout.readline()
        (document,), _ = self.documents("--once", *FAST, "--pid", str(spinner.pid))
        process = document["process"]
        self.assertEqual((process["process"], process["alive"]), (spinner.pid, True))
        thread, = process["threads"]
        self.assertEqual(thread["thread"], spinner.pid)
        self.assertEqual((thread["cpu"], thread["state"]), (cpu, "R"))
        self.assertEqual(thread["allowed"], str(cpu))
        self.assertEqual(thread["migrations"] or 0, 0)

    def test_the_end_of_a_program_is_the_last_document(self):
        documents, result = self.documents(*FAST, "--", "sh", "-c", "echo out; exit 5")
        self.assertEqual(result.returncode, 5)
        self.assertFalse(documents[-1]["process"]["alive"])
        self.assertEqual(documents[-1]["process"]["title"], "sh -c echo out; exit 5")
        self.assertEqual(result.stderr, "out\n")  # its output, apart from the documents

    def test_what_follows_belongs_to_the_program(self):
        for words, status in ((("sh", "-c", "exit $#", "sh", "--", "a"), 2), (("true", "--pid"), 0)):
            result = run("watch", "--once", *FAST, "--json", "-", "--", *words)
            self.assertEqual(result.returncode, status, result.stderr)

    def test_words_in_brackets_reach_the_program_as_they_were_typed(self):
        result = run("watch", "--once", *FAST, "--json", "-", "--", "printf", "%s|", "[a,b]", "[]", "[x]")
        self.assertEqual((result.returncode, result.stderr), (0, "[a,b]|[]|[x]|"))

    def test_signals_that_are_ignored_stay_so_in_the_program(self):
        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        result = subprocess.run(
            [REGATTA, "watch", "--once", *FAST, "--json", "-", "--", "sh", "-c", "kill -HUP $$; exit 4"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=ignore, timeout=60)
        self.assertEqual(result.returncode, 4, result.stderr)

    def test_output_passes_a_terminal_that_stops_the_background(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv("/bin/sh", ["sh", "-c", 'stty tostop; exec "$0" "$@" >/dev/null', REGATTA, "watch", "--count", "1",
                                 *FAST, "--", "sh", "-c", "echo hi; exit 6"])
        self.addCleanup(os.close, terminal)
        try:
            support.wait_until(lambda: os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT), "its end")
        finally:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 6)

    def test_a_program_may_live_longer_than_the_look_at_it(self):
        process = subprocess.Popen(
            [REGATTA, "watch", "--once", *FAST, "--json", "-", "--", "sh", "-c", "read x; exit 6"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        document, = self.validated(process.stdout.readline())
        self.assertTrue(document["process"]["alive"])
        process.communicate(b"x\n")
        self.assertEqual(process.returncode, 6)

    def test_names_cannot_write_on_the_terminal(self):
        child = subprocess.Popen(["sh", "-c", r"printf '\033[2Jx' >/proc/$$/comm; echo; read x"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(child.communicate)
        child.stdout.readline()
        result = run("watch", "--once", *FAST, "--pid", str(child.pid))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(" ?[2Jx ", result.stdout)
        self.assertNotIn("\x1b", result.stdout)
        (document,), _ = self.documents("--once", *FAST, "--pid", str(child.pid))
        self.assertEqual(document["process"]["threads"][0]["name"], "\x1b[2Jx")

    def test_documents_go_to_a_file_beside_the_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f")
            with open(path, "w", encoding="utf-8") as file:
                file.write("what was there before, longer than nothing\n" * 1000)
            result = run("watch", "--count", "2", *FAST, "--json", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout.count("regatta watch"), 2)
            with open(path, encoding="utf-8") as file:
                lines = file.readlines()
            self.assertEqual([json.loads(line)["schema"] for line in lines],
                             ["regatta-watch/1"] * 2)

    def test_documents_do_not_go_into_the_file_of_the_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f")
            with open(path, "w", encoding="utf-8") as file:
                file.write("what stands there")
            with open(path, "a", encoding="utf-8") as file:
                result = subprocess.run([REGATTA, "watch", "--once", *FAST, "--json", path],
                                        stdout=file, stderr=subprocess.PIPE, timeout=100,
                                        encoding="utf-8", check=False)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(f"--json {path} and standard output are one file", result.stderr)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "what stands there")

    def test_text_keeps_to_the_width(self):
        for columns in (40, 80):
            result = run("watch", "--once", *FAST, "--pid", str(os.getpid()),
                         env=environment(COLUMNS=str(columns)))
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), columns, line)

    def test_a_reader_that_goes_ends_it(self):
        process = subprocess.Popen([REGATTA, "watch", *FAST, "--json", "-"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        json.loads(process.stdout.readline())
        process.stdout.close()
        self.assertIn(b"cannot write to standard output: Broken pipe", process.stderr.read())
        process.stderr.close()
        self.assertEqual(process.wait(60), 1)

    def test_a_signal_ends_it(self):
        process = subprocess.Popen([REGATTA, "watch", *FAST], stdout=subprocess.PIPE)
        process.stdout.readline()
        process.terminate()
        process.communicate()
        self.assertEqual(process.returncode, 143)

    def test_what_cannot_be_is_refused(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        for words, message in (
                (("--pid", str(ended.pid)), f"--pid: there is no process {ended.pid}"),
                (("--pid", "0"), "--pid"),
                (("--pid", "some"), "--pid"),
                (("--pid", "1", "--", "true"), "--pid or start a program after --, not both"),
                (("--interval", "soon"), '--interval: "soon" is no length of time from 100ms to 1h'),
                (("--interval", "1ms"), "from 100ms to 1h"),
                (("--count", "0"), "--count"),
                (("--once", "--count", "2"), "--count"),
                (("--json", ""), "the name of the file is empty"),
                (("--json", "/nonexistent/f"), "cannot write /nonexistent/f"),
                (("--", ""), "the name of the program is empty"),
                (("true",), 'the program stands after --: regatta watch -- true'),
                (("--once", "sh", "x"), 'the program stands after --: regatta watch -- sh'),
                (("true", "--", "more"), "more"),
                (("--once", "--"), "after -- stands no program"),
                (("--",), "after -- stands no program"),
                (("--pid", "1", "--"), "after -- stands no program")):
            result = run("watch", *words)
            self.assertEqual(result.returncode, 2, (words, result.stderr))
            self.assertIn(message, result.stderr)
            self.assertEqual(result.stdout, "")

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_without_proc_there_is_nothing_to_watch(self):
        result = subprocess.run(["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh",
                                 REGATTA, "watch", "--once", "--", "true"],
                                capture_output=True, encoding="utf-8", env=environment(), timeout=60)
        if "unshare" in result.stderr or "mount" in result.stderr:
            self.skipTest(result.stderr)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("/proc cannot be read", result.stderr)

    def test_a_thread_is_no_process(self):
        end = threading.Event()
        thread = threading.Thread(target=end.wait)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(end.set)
        result = run("watch", "--pid", str(thread.native_id))
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn(f"is a thread of process {os.getpid()}", result.stderr)


if __name__ == "__main__":
    support.main()
