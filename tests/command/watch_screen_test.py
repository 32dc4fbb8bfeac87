# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What `regatta watch` shows on a terminal, and what it leaves behind."""

import os
import signal
import subprocess
import tempfile
import termios
import unittest

import support
from screen import ENTERS_SCREEN, LEAVES_SCREEN, Terminal
from support import REGATTA, environment, wait_until

FAST = ["--interval", "100ms"]
# A program that says one line and then waits.
SPEAKS = ["sh", "-c", "echo some words; exec sleep 1000"]


def sleeper_of(parent):
    """The process below regatta that is called sleep, once the shell before it has become it."""
    def found():
        for pid in support.children_of(parent):
            try:
                with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                    if file.read().strip() == "sleep":
                        return pid
            except OSError:
                pass  # it has just ended
        return None
    return wait_until(found, "a process called sleep")


def state_of(pid):
    """R, S, T …, as /proc has it; Z when it has ended, whether it was collected or not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


class View(unittest.TestCase):
    def assert_restored(self, terminal):
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)
        self.assertEqual(terminal.output.count(LEAVES_SCREEN), 1)
        self.assertFalse(terminal.screen.cursor.hidden)

    def test_shows_each_cpu_and_quits_with_q(self):
        terminal = Terminal(self, "watch", *FAST)
        terminal.wait_for("iowait")
        terminal.wait_for("waiting for a device")
        for row, expected in (
                (0, r"^regatta watch  \d\d:\d\d:\d\d  \d+ CPUs?  every 100ms +q quits$"),
                (1, r"^load \d.* runnable \d+ of \d+   blocked \d+ "),
                (2, r"^pressure"),
                (3, r"CPU +user +sys +irq +steal +iowait +idle +MHz"),
                (4, r"^  all( +(\d+|-)){6}"),
                (23, r"user")):
            terminal.wait_for_match(expected, row)
        self.assertTrue(terminal.screen.cursor.hidden)
        terminal.press(b"q")
        self.assertEqual(terminal.status(), 0)
        self.assert_restored(terminal)
        self.assertEqual(terminal.after_view(), "")

    def test_is_refreshed(self):
        terminal = Terminal(self, "watch", *FAST, "--count", "3")
        self.assertEqual(terminal.status(), 0)
        self.assert_restored(terminal)

    def test_follows_the_size_of_its_window(self):
        terminal = Terminal(self, "watch", "--interval", "1h")  # nothing but the size makes it draw
        for rows, columns in ((30, 100), (8, 40), (3, 12), (1, 1), (24, 80)):
            terminal.resize(rows, columns)
            if columns >= 40:
                foot = "█ user"
                terminal.read_until(lambda: terminal.screen.display[rows - 1].startswith(foot),
                                    f"a view of {rows} x {columns}")
                self.assertTrue(terminal.screen.display[0].startswith("regatta watch"))
        self.assertEqual(terminal.screen.display[0][-7:], "q quits")
        terminal.press(b"q")
        self.assertEqual(terminal.status(), 0)

    def test_shows_where_the_threads_of_a_process_run(self):
        child = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        cpu = min(os.sched_getaffinity(0))
        os.sched_setaffinity(child.pid, {cpu})
        terminal = Terminal(self, "watch", *FAST, "--pid", str(child.pid))
        where = rf" {cpu}" if len(os.sched_getaffinity(0)) > 1 else ""
        terminal.wait_for_match(rf"^ +{child.pid} sleep +S +\d+ +0 +[-0] .*{where} *$")
        terminal.wait_for(f"{child.pid} sleep 1000")
        child.kill()
        self.assertEqual(terminal.status(), 0)
        self.assert_restored(terminal)
        self.assertIn(f"process {child.pid} has ended", terminal.after_view())

    def test_signals_end_it_and_the_terminal_is_as_before(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            terminal = Terminal(self, "watch", *FAST)
            terminal.wait_for("iowait")
            terminal.process.send_signal(number)
            self.assertEqual(terminal.status(), 128 + number)
            self.assert_restored(terminal)

    def test_ctrl_c_ends_it(self):
        terminal = Terminal(self, "watch", *FAST)
        terminal.wait_for("iowait")
        terminal.press(b"\x03")
        self.assertEqual(terminal.status(), 130)
        self.assert_restored(terminal)

    def test_ctrl_z_stops_it_and_gives_the_terminal_back(self):
        terminal = Terminal(self, "--norc", "--noprofile", "-i", program="/bin/bash",
                            env=environment(PS1="ready> "))
        terminal.wait_for("ready> ")
        terminal.press(f"{REGATTA} watch --interval 100ms -- sleep 1000\n".encode())
        terminal.wait_for(" sleep   ")
        command, = support.children_of(terminal.process.pid)
        child = sleeper_of(command)
        terminal.press(b"\x1a")
        terminal.wait_for("Stopped")
        self.assertEqual(terminal.output.count(LEAVES_SCREEN), 1)
        wait_until(lambda: state_of(child) == "T", "the program stops, too")
        terminal.press(b"fg\n")
        terminal.read_until(lambda: terminal.output.count(ENTERS_SCREEN) == 2, "a view again")
        wait_until(lambda: state_of(child) == "S", "the program goes on, too")
        terminal.press(b"\x03")
        terminal.read_until(lambda: terminal.output.count(LEAVES_SCREEN) == 2, "the end")
        terminal.press(b"echo status=$?; exit\n")
        terminal.wait_for("status=130")

    def test_ctrl_s_does_not_stop_it(self):
        terminal = Terminal(self, "watch", *FAST)
        terminal.wait_for("iowait")
        terminal.press(b"\x13")
        terminal.resize(24, 100)  # it goes on drawing
        terminal.read_until(lambda: terminal.screen.display[0].endswith("q quits"), "a draw")
        terminal.press(b"q")
        self.assertEqual(terminal.status(), 0)

    def test_ends_with_its_terminal(self):
        terminal = Terminal(self, "watch", *FAST, "--", *SPEAKS)
        terminal.wait_for("some words")
        child = sleeper_of(terminal.process.pid)
        os.close(terminal.slave)
        os.close(terminal.master)
        terminal.master = terminal.slave = None
        terminal.process.wait(60)
        self.assertEqual(terminal.process.returncode, 129)
        self.assertEqual(state_of(child), "Z")

    @unittest.skipIf(os.environ.get("REGATTA_SANITIZE") == "thread",
                     "this sanitizer runs a handler only when the system call has come back")
    def test_a_terminal_that_takes_nothing_does_not_hold_it(self):
        terminal = Terminal(self, "watch", *FAST)
        terminal.wait_for("iowait")
        # As when the other end of ssh is gone, and nobody has noticed.
        os.set_blocking(terminal.slave, False)
        try:
            while os.write(terminal.slave, b"x"):
                pass
        except BlockingIOError:
            os.set_blocking(terminal.slave, True)
        terminal.process.terminate()
        self.assertEqual(terminal.process.wait(60), 143)
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)

    def test_without_a_keyboard_signals_end_it(self):
        terminal = Terminal(self, "watch", *FAST, stdin=subprocess.DEVNULL)
        terminal.wait_for("iowait")
        terminal.process.terminate()
        self.assertEqual(terminal.status(), 143)
        self.assert_restored(terminal)

    def test_a_locale_without_utf8_gets_ascii(self):
        terminal = Terminal(self, "watch", *FAST, env=environment(LC_ALL="C"))
        terminal.wait_for("# user")
        terminal.press(b"q")
        self.assertEqual(terminal.status(), 0)
        self.assertTrue(terminal.output.isascii())

    def test_no_color_is_respected(self):
        terminal = Terminal(self, "watch", *FAST, env=environment(NO_COLOR="1"))
        terminal.wait_for("█ user")
        terminal.press(b"q")
        self.assertEqual(terminal.status(), 0)
        self.assertNotRegex(terminal.output, rb"\x1b\[([0-9]+;)*[34][0-7](;[0-9]+)*m")

    def test_an_unknown_terminal_is_said(self):
        terminal = Terminal(self, "watch", env=environment(TERM="no-such-terminal"))
        self.assertEqual(terminal.status(), 1)
        self.assertIn(b'terminals of the type "no-such-terminal" (TERM)', terminal.output)

    def test_where_there_is_no_view_no_program_is_started(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "began")
            terminal = Terminal(self, "watch", "--", "sh", "-c", f": > {path}; exec sleep 1000",
                                env=environment(TERM="no-such-terminal"))
            self.assertEqual(terminal.status(), 1)
            self.assertFalse(os.path.exists(path))

    def test_a_dumb_terminal_gets_text(self):
        terminal = Terminal(self, "watch", *FAST, "--count", "2", env=environment(TERM="dumb"))
        self.assertEqual(terminal.status(), 0)
        self.assertEqual(terminal.output.count(b"regatta watch"), 2)
        self.assertNotIn(b"\x1b", terminal.output)


class Program(unittest.TestCase):
    def test_its_output_comes_after_the_view_and_its_status_is_passed_on(self):
        script = "echo out; echo err >&2; exit 3"
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", script)
        self.assertEqual(terminal.status(), 3)
        self.assertIn("out\r\nerr\r\nregatta: sh: exited with status 3 after ",
                      terminal.after_view())
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)

    def test_a_signal_that_ends_it_is_passed_on(self):
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", "kill -SEGV $$")
        self.assertEqual(terminal.status(), 139)
        self.assertIn("killed by signal 11 (SIGSEGV)", terminal.after_view())

    def test_signals_end_one_that_the_terminal_has_stopped(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", "echo some words; read x </dev/tty")
            terminal.wait_for("some words")
            child, = support.children_of(terminal.process.pid)
            wait_until(lambda: state_of(child) == "T", "the terminal stops it")
            terminal.process.send_signal(number)
            self.assertEqual(terminal.status(), 128 + number)
            self.assertEqual(state_of(child), "Z")

    def test_what_opens_its_streams_anew_overwrites_nothing_that_comes_later(self):
        for stream in ("/dev/stderr", "/dev/stdout"):
            terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", f"echo first; echo second >{stream}; echo third")
            self.assertEqual(terminal.status(), 0)
            self.assertIn("second\r\nthird\r\nregatta: sh: exited", terminal.after_view())

    def output_after_q(self, script, first, status):
        """What a program of the shell prints that waits for a word from $FIFO, which it gets after the view."""
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, "fifo")
            os.mkfifo(fifo)
            terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", f"FIFO={fifo}; {script}")
            terminal.wait_for(first)
            terminal.press(b"q")
            terminal.wait_for("goes on as process")
            with open(fifo, "w", encoding="utf-8") as file:
                file.write("two\n")
            self.assertEqual(terminal.status(), status)
            return terminal.after_view()

    def test_after_the_view_what_opens_its_streams_anew_is_shown_too(self):
        after = self.output_after_q(
            "echo a rather long line; read word <$FIFO; echo $word >/dev/stderr; echo three", "a rather long line", 0)
        self.assertIn("two\r\nthree\r\n", after)

    def test_its_last_line_is_in_the_view(self):
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c",
                            r"printf 'first\n\033[31mwords\r\n'; exec sleep 1000")
        terminal.wait_for_match(r"^output  \?\[31mwords *$")
        terminal.wait_for("sleep  ")
        terminal.process.terminate()
        self.assertEqual(terminal.status(), 143)
        self.assertIn("first\r\n", terminal.after_view())

    def test_q_leaves_it_running_in_the_foreground(self):
        terminal = Terminal(self, "watch", *FAST, "--", *SPEAKS)
        terminal.wait_for("some words")
        terminal.press(b"q")
        terminal.wait_for("goes on as process")
        self.assertIn("some words\r\n", terminal.after_view())
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)
        child = sleeper_of(terminal.process.pid)
        terminal.press(b"\x03")
        self.assertEqual(terminal.status(), 130)
        self.assertEqual(state_of(child), "Z")

    def test_after_q_its_output_comes_at_once(self):
        self.assertIn("two\r\n", self.output_after_q("echo one; read word <$FIFO; echo $word; exit 4", "one", 4))

    def test_streams_that_are_no_terminal_are_left_alone(self):
        with tempfile.TemporaryFile() as file:
            terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", "echo out; echo err >&2",
                                stderr=file)
            self.assertEqual(terminal.status(), 0)
            self.assertIn("out\r\n", terminal.after_view())
            self.assertNotIn(b"err\r\n", terminal.output)
            file.seek(0)
            self.assertTrue(file.read().startswith(b"err\n"))

    def test_it_is_killed_with_the_view(self):
        terminal = Terminal(self, "watch", *FAST, "--", *SPEAKS)
        terminal.wait_for("some words")
        child = sleeper_of(terminal.process.pid)
        terminal.process.kill()
        terminal.process.wait()
        wait_until(lambda: state_of(child) == "Z", "the end of the program")

    def test_its_children_are_watched_too(self):
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", "sleep 1000 & sleep 1000; wait")
        terminal.wait_for_match(r"sh -c sleep 1000.*in 3 processes")
        terminal.wait_for("process name")
        terminal.read_until(lambda: 2 == sum(" sleep " in row and " S " in row
                                             for row in terminal.screen.display), "two that sleep")
        terminal.process.terminate()  # goes to all of the group
        self.assertEqual(terminal.status(), 143)

    def test_a_long_list_of_threads_can_be_scrolled(self):
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c",
                            "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1000 & done; wait",
                            rows=16)
        terminal.wait_for("in 11 processes")
        terminal.wait_for_match(r"^\d+ more: arrow keys")
        terminal.press(b"\x1b[F\x1bOF")  # End, as either kind of terminal sends it
        terminal.read_until(lambda: not any("more: arrow" in row for row in terminal.screen.display),
                            "the end of the list")
        terminal.press(b"k")
        terminal.wait_for("more: arrow keys")
        terminal.process.terminate()
        self.assertEqual(terminal.status(), 143)

    def test_a_list_of_threads_that_becomes_shorter_can_be_scrolled_at_once(self):
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c",
                            "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 1000 & done; wait", rows=16)
        terminal.wait_for("in 16 processes")
        terminal.wait_for_match(r"^\d+ more: arrow keys")
        terminal.press(b"\x1b[F\x1bOF")
        terminal.read_until(lambda: not any("more: arrow" in row for row in terminal.screen.display),
                            "the end of the list")
        shell, = support.children_of(terminal.process.pid)
        for child in list(support.children_of(shell))[:4]:
            os.kill(child, signal.SIGTERM)
        terminal.wait_for("in 12 processes")
        terminal.press(b"k")
        terminal.wait_for("more: arrow keys")
        terminal.process.terminate()
        self.assertEqual(terminal.status(), 143)

    def test_one_that_cannot_be_run_is_said_before_anything_is_drawn(self):
        for program, status, message in (
                ("/nonexistent/program", 127, "cannot run /nonexistent/program: No such file"),
                ("no-such-größe", 127, "cannot run no-such-größe: No such file"),
                ("/etc/passwd", 126, "cannot run /etc/passwd: Permission denied"),
                ("/", 126, "cannot run /: ")):
            terminal = Terminal(self, "watch", "--", program)
            self.assertEqual(terminal.status(), status)
            self.assertIn(message, terminal.output.decode())
            self.assertNotIn(b"\x1b", terminal.output)


if __name__ == "__main__":
    support.main()
