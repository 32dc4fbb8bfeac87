# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Ending a race early: nothing is left behind, and what was measured is told."""

import ctypes
import json
import os
import signal
import subprocess
import tempfile
import unittest

import support
from support import (EVERYBODY, REGATTA, OnTerminal, catches, children_of, environment, is_gone,
                     run, segments_of, wait_until)

LONG = ["--size", "128", "--time", "1000"]


class Interrupt(unittest.TestCase):
    def test_ctrl_c_tells_what_was_measured(self):
        terminal = OnTerminal("race", *EVERYBODY, *LONG)
        terminal.read_until(b"round 3")
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        report = terminal.output[terminal.output.rindex(b"\r\x1b[K"):].decode()
        self.assertIn("Cut short after", report)
        self.assertIn("std_thread", report)
        self.assertNotIn("FAILED", report)
        self.assertEqual(children_of(terminal.pid), {})

    def test_ctrl_c_while_worker_processes_run(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        terminal = OnTerminal("race", "--schemes", "processes,zmq_ipc", "--size", "512",
                              "--time", "1000", env=environment(TMPDIR=folder.name))
        terminal.read_until(b"round 1")
        workers = wait_until(lambda: children_of(terminal.pid), "a worker process")
        segments = segments_of(terminal.pid)
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        for worker in workers:
            wait_until(lambda w=worker: is_gone(w), "the worker's end")
        self.assertEqual([path for path in segments if os.path.exists(path)], [])
        self.assertEqual(os.listdir(folder.name), [])
        self.assertNotIn(b"FAILED", terminal.output)

    def test_before_anything_was_measured(self):
        terminal = OnTerminal("race", "--schemes", "serial", "--size", "2048", "--time", "1000")
        terminal.read_until(b"warm-up")
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        self.assertIn(b"Nothing was measured", terminal.output)
        self.assertNotIn(b"Why:", terminal.output)

    def test_a_second_ctrl_c_ends_at_once_and_removes_the_bar(self):
        terminal = OnTerminal("race", "--schemes", "serial", "--size", "2048", "--time", "1000")
        terminal.read_until(b"warm-up")
        os.kill(terminal.pid, signal.SIGSTOP)
        # Both are pending when it goes on, so that it cannot finish between them.
        os.kill(terminal.pid, signal.SIGINT)
        os.kill(terminal.pid, signal.SIGTERM)
        os.kill(terminal.pid, signal.SIGCONT)
        self.assertIn(terminal.status(), (130, 143))
        self.assertTrue(terminal.output.endswith(b"\r\x1b[K"), terminal.output[-100:])

    def test_one_ctrl_c_that_comes_twice_ends_in_order(self):  # timeout -s INT 5 regatta race
        terminal = OnTerminal("race", "--schemes", "serial", "--size", "2048", "--time", "1000")
        terminal.read_until(b"warm-up")
        os.kill(terminal.pid, signal.SIGSTOP)
        # To the process and to its first thread: the kernel makes one of two pending signals to the same place.
        os.kill(terminal.pid, signal.SIGINT)
        ctypes.CDLL(None).tgkill(terminal.pid, terminal.pid, signal.SIGINT)
        os.kill(terminal.pid, signal.SIGCONT)
        self.assertEqual(terminal.status(), 130)
        self.assertIn(b"Nothing was measured", terminal.output)

    def test_from_the_file_on_a_signal_ends_in_order(self):
        """A program that has made its result's file writes it or removes it, whenever the signal comes."""
        for _ in range(10):
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "result.json")
                process = subprocess.Popen([REGATTA, "race", "--schemes", "serial", "--size", "2048", "--quiet",
                                            "--json", file], stdout=subprocess.DEVNULL)
                wait_until(lambda f=file: os.path.exists(f), "the result's file")
                process.terminate()
                self.assertEqual(process.wait(60), 143)
                with open(file, encoding="utf-8") as result:
                    self.assertTrue(json.load(result)["stopped"])

    def test_sigquit_and_a_sighup_beside_another_end_in_order(self):  # Ctrl-\\; systemctl stop
        for numbers in ([signal.SIGQUIT], [signal.SIGTERM, signal.SIGHUP]):
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "j")
                with self.race_with_handlers("--schemes", "serial", *LONG, "--json", file) as process:
                    for number in numbers:
                        process.send_signal(number)
                    process.communicate()
                    self.assertEqual(process.returncode, 128 + numbers[0])
                if os.path.exists(file):  # Otherwise nothing was measured.
                    with open(file, encoding="utf-8") as result:
                        self.assertTrue(json.load(result)["stopped"])

    def test_a_second_signal_leaves_no_empty_file(self):
        with tempfile.TemporaryDirectory() as folder:
            terminal = OnTerminal("race", "--schemes", "serial", "--size", "2048", "--time", "1000",
                                  "--json", os.path.join(folder, "j"), "--csv", os.path.join(folder, "c"),
                                  "--html", os.path.join(folder, "h"), "--markdown", os.path.join(folder, "m"))
            terminal.read_until(b"warm-up")
            self.assertEqual(len(os.listdir(folder)), 4)
            for name, replaced in (("h", True), ("m", False)): # Of other programs by now.
                if replaced:
                    os.unlink(os.path.join(folder, name))
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write("precious")
            os.kill(terminal.pid, signal.SIGSTOP)
            os.kill(terminal.pid, signal.SIGINT)
            os.kill(terminal.pid, signal.SIGTERM)
            os.kill(terminal.pid, signal.SIGCONT)
            self.assertIn(terminal.status(), (130, 143))
            self.assertEqual(sorted(os.listdir(folder)), ["h", "m"])

    def test_a_second_signal_leaves_no_empty_file_where_the_folder_is_renamed(self):
        with tempfile.TemporaryDirectory() as folder:
            start, other = os.path.join(folder, "start"), os.path.join(folder, "other")
            os.mkdir(start)
            with subprocess.Popen([REGATTA, "race", "--schemes", "serial", *LONG, "--json", "j"], env=environment(),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=start) as process:
                wait_until(lambda: os.path.exists(os.path.join(start, "j")), "the file")
                os.rename(start, other)
                os.mkdir(start)
                with open(os.path.join(start, "j"), "w", encoding="utf-8"):
                    pass  # Somebody else's.
                process.send_signal(signal.SIGSTOP)
                process.send_signal(signal.SIGINT)
                process.send_signal(signal.SIGTERM)
                process.send_signal(signal.SIGCONT)
                self.assertIn(process.wait(60), (130, 143))
            self.assertEqual((os.listdir(other), os.listdir(start)), ([], ["j"]))

    def race_with_handlers(self, *words, **options):
        """A race, and not a command that still starts: its handler of SIGTERM is in place."""
        json_words = [] if "--json" in words else ["--json", "-"]
        process = subprocess.Popen([REGATTA, "race", *words, *json_words], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment(), **options)
        wait_until(lambda: catches(process.pid, signal.SIGTERM), "the handler")
        return process

    def test_a_signal_that_was_to_be_ignored_ends_nothing(self):  # nohup regatta race
        process = self.race_with_handlers(
            "--schemes", "serial", *LONG, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        process.terminate()
        output, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, error)  # The first one that it did not ignore.
        self.assertTrue(json.loads(output)["stopped"])

    def test_a_parent_that_ignores_its_children_costs_no_measurement(self):
        def ignore():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        quick = ["--schemes", "serial,processes", "--size", "128", "--rounds", "2"]
        for words in (["info"], ["race", *quick], ["race", *quick, "--launches", "2"],
                      ["race", "--command", "a=true", "--rounds", "1"]):
            with self.subTest(words=words):
                result = run(*words, env=environment(REGATTA_PYTHON=None), preexec_fn=ignore)
                self.assertEqual(result.returncode, 0, result)

    def test_sigterm_with_json_leaves_a_whole_document(self):
        process = self.race_with_handlers("--schemes", "serial,std_thread", *LONG)
        process.terminate()
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        document = json.loads(output)
        self.assertTrue(document["stopped"])


if __name__ == "__main__":
    support.main()
