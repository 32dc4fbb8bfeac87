# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""`regatta shm`: whose shared memory there is, and what a crash left."""

import fcntl
import json
import os
import struct
import subprocess
import threading
import unittest

import support
from support import REGATTA, environment, run, validate, wait_until

MAGIC = 0x0141545441474552


class Segments(unittest.TestCase):
    def setUp(self):
        self.prefix = f"regatta_shm_test_{os.getpid()}_{self.id().rsplit('.', 1)[1]}_"
        self.addCleanup(self.remove_all)

    def remove_all(self):
        for name in os.listdir("/dev/shm"):
            if name.startswith(self.prefix):
                os.unlink("/dev/shm/" + name)

    def make(self, name, size=8192, magic=MAGIC):
        """A file as `shared_memory::create` makes it; the descriptor holds the locks of a user."""
        path = "/dev/shm/" + self.prefix + name
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(file, fcntl.LOCK_SH)
        fcntl.lockf(file, fcntl.LOCK_SH, 1)
        os.pwrite(file, struct.pack("<QIIQQ", magic, 1, 128, 7, size), 0)
        os.ftruncate(file, size)
        return "/" + self.prefix + name, path, file

    def shm(self, *words):
        result = run("shm", *words, "--prefix", self.prefix, "--json", "-")
        document = json.loads(result.stdout)
        validate(document, "shm")
        return result, document

    def test_lists_users_and_what_a_crash_left(self):
        used, _, file = self.make("used", 100000)
        stale, _, gone = self.make("stale")
        os.close(gone)
        self.make("foreign", magic=1)  # "if they have the header of this library"
        result, document = self.shm()
        self.assertEqual(result.returncode, 0, result.stderr)
        found = {one["name"]: one for one in document["segments"]}
        self.assertEqual(sorted(found), sorted([used, stale]))
        self.assertEqual(found[used]["bytes"], 100000)
        self.assertEqual(found[used]["user"], os.geteuid())
        self.assertFalse(found[used]["stale"])
        self.assertIn(os.getpid(), [one["process"] for one in found[used]["users"]])
        self.assertTrue(found[stale]["stale"])
        self.assertEqual(found[stale]["users"], [])
        self.assertEqual(document["removed"], [])
        self.assertGreater(document["room_bytes"], 0)
        text = run("shm", "--prefix", self.prefix, env=environment(COLUMNS="200")).stdout
        self.assertRegex(text, f"{stale} .*nobody: left behind")
        self.assertIn("regatta shm clean", text)
        for prefix in (self.prefix, self.prefix + "none"):
            for line in run("shm", "--prefix", prefix, env=environment(COLUMNS="20")).stdout.splitlines():
                self.assertLessEqual(len(line), 20, line)
        os.close(file)

    def test_clean_removes_what_is_stale_and_nothing_else(self):
        used, used_path, file = self.make("used")
        stale, stale_path, gone = self.make("stale")
        os.close(gone)
        _, foreign_path, foreign = self.make("foreign", magic=1)
        os.close(foreign)
        result, document = self.shm("clean")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(document["removed"], [stale])
        self.assertEqual([one["name"] for one in document["segments"]], [used])
        self.assertFalse(os.path.exists(stale_path))
        self.assertTrue(os.path.exists(used_path))
        self.assertTrue(os.path.exists(foreign_path))
        again = run("shm", "clean", "--prefix", "/" + self.prefix)  # "the '/' may be left out"
        self.assertIn("Nothing was stale.", again.stdout)
        os.close(file)
        self.assertIn("removed " + used, run("shm", "clean", "--prefix", self.prefix).stdout)

    def test_one_that_is_only_looked_at_is_stale(self):
        name, path, file = self.make("open")
        fcntl.flock(file, fcntl.LOCK_UN)  # open, as in an editor: no user holds its lock
        _, document = self.shm()
        segment, = document["segments"]
        self.assertTrue(segment["stale"])
        self.assertIn(os.getpid(), [one["process"] for one in segment["users"]])
        text = run("shm", "--prefix", self.prefix, env=environment(COLUMNS="200")).stdout
        self.assertRegex(text, f"{name} .*nobody: left behind; open in {os.getpid()} ")
        self.assertEqual(self.shm("clean")[1]["removed"], [name])
        self.assertFalse(os.path.exists(path))
        os.close(file)

    def run_as_nobody(self, *words):
        """The other user may be kept from the program by its folders, but not from the open file."""
        program = os.open(REGATTA, os.O_RDONLY)
        self.addCleanup(os.close, program)
        result = subprocess.run([f"/proc/self/fd/{program}", "shm", *words, "--prefix", self.prefix,
                                 "--json", "-"], user=65534, group=65534, extra_groups=[],
                                pass_fds=[program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=environment(), timeout=100)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_lock_of_a_process_that_cannot_be_seen_counts(self):
        _, path, file = self.make("theirs")
        os.chown(path, 65534, 65534)  # This process has it open, and user 65534 cannot know that.
        document = self.run_as_nobody("clean")
        self.assertEqual(document["removed"], [])
        self.assertEqual([one["stale"] for one in document["segments"]], [False])
        self.assertEqual(document["segments"][0]["users"], [])
        self.assertTrue(os.path.exists(path))
        os.close(file)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_users_do_not_touch_each_others_segments(self):
        _, path, file = self.make("theirs")
        os.close(file)
        os.chown(path, 65534, 65534)
        result, document = self.shm("clean")  # Root sees it, and leaves it.
        self.assertEqual(result.returncode, 0)
        self.assertEqual(document["removed"], [])
        self.assertTrue(document["segments"][0]["stale"])
        self.assertEqual(document["segments"][0]["user"], 65534)
        self.assertIn("belongs to another user", result.stderr)
        _, mine, file = self.make("mine")
        os.close(file)

        document = self.run_as_nobody("clean")
        self.assertEqual(document["removed"], ["/" + self.prefix + "theirs"])
        self.assertEqual(document["segments"], [])  # "shown to root only"
        self.assertFalse(os.path.exists(path))
        self.assertTrue(os.path.exists(mine))

    def test_shows_the_memory_of_a_process_pool(self):
        race = subprocess.Popen([REGATTA, "race", "--schemes", "process_pool", "--size", "512",
                                 "--rounds", "200"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=environment())

        def with_workers():
            document = json.loads(run("shm", "--prefix", "process pool race", "--json", "-").stdout)
            return [one for one in document["segments"] if one["name"].endswith("output")
                    and one["users"][0]["process"] == race.pid and len(one["users"]) > 1]
        try:
            pool = wait_until(with_workers, "a pool with its workers")[0]
        finally:
            race.terminate()
            race.wait(100)
        self.assertTrue(pool["anonymous"])
        self.assertFalse(pool["stale"])
        self.assertLess(pool["allocated_bytes"], pool["bytes"])

    def test_an_owner_that_starts_meanwhile_loses_nothing(self):
        # It makes a segment as `create` does: complete and locked before it has a name.
        stop = threading.Event()
        problems = []

        def own():
            for number in range(300):
                path = f"/dev/shm/{self.prefix}{number}"
                file = os.open("/dev/shm", os.O_RDWR | os.O_TMPFILE, 0o600)
                os.pwrite(file, struct.pack("<QIIQQ", MAGIC, 1, 128, 7, 4096), 0)
                os.ftruncate(file, 4096)
                fcntl.flock(file, fcntl.LOCK_SH)
                fcntl.lockf(file, fcntl.LOCK_SH, 1)
                os.link(f"/proc/self/fd/{file}", path, src_dir_fd=file, follow_symlinks=True)
                if os.stat(path).st_ino != os.fstat(file).st_ino:
                    problems.append(number)
                if number % 2 == 0:
                    os.unlink(path)
                os.close(file)  # Every second one is left behind.
            stop.set()
        owner = threading.Thread(target=own)
        owner.start()
        cleaned = 0
        while not stop.is_set():
            result = run("shm", "clean", "--prefix", self.prefix, "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            cleaned += len(json.loads(result.stdout)["removed"])
        owner.join()
        self.assertEqual(problems, [])
        cleaned += len(self.shm("clean")[1]["removed"])
        self.assertEqual(cleaned, 150)

    def test_wrong_words(self):
        for words, says in ((["shm", "claen"], 'did you mean "shm clean"?'),
                            (["shm", "--json", "/no/such/folder/x"], "/no/such/folder"),
                            (["shm", "--prefix", "/x", "clean"], "whose options follow it"),
                            (["shm", "clean", "--all"], "--all")):
            result = run(*words)
            self.assertEqual(result.returncode, 2, result)
            self.assertIn(says, result.stderr)
        for words in (["shm", "--help"], ["shm", "clean", "--help"]):
            self.assertIn("Exit status:", run(*words).stdout)


if __name__ == "__main__":
    support.main()
