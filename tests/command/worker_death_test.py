# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""kill -9 of a worker process in the middle of a race."""

import json
import os
import resource
import signal
import subprocess
import tempfile
import unittest

import support
from support import REGATTA, children_of, children_with, environment, segments_of, wait_until


class WorkerDeath(unittest.TestCase):
    def kill_one(self, scheme):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        process = subprocess.Popen([REGATTA, "race", "--schemes", f"std_thread,{scheme}",
                                    "--size", "512", "--rounds", "3", "--json", "-"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(TMPDIR=folder.name), encoding="utf-8")
        segments = set()

        def kill_a_child():
            segments.update(segments_of(process.pid))
            for child in children_with(process.pid, "--regatta-worker"):
                os.kill(child, signal.SIGKILL)
                return child
            return None
        killed = wait_until(kill_a_child, "a worker process")
        output, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 1, errors)
        document = json.loads(output)
        result = {s["name"]: s for s in document["schemes"]}
        self.assertEqual(result[scheme]["status"], "failed")
        self.assertIn(str(killed), result[scheme]["reason"])
        self.assertRegex(result[scheme]["reason"], "signal 9|SIGKILL|[Kk]illed")
        self.assertFalse(result[scheme]["verified"])
        self.assertEqual(result["std_thread"]["status"], "ok")
        self.assertEqual(document["rounds"], 3)
        self.assertIn(f"FAILED {scheme}", errors)
        self.assertFalse(os.path.exists(f"/proc/{killed}"))
        self.assertEqual(children_of(process.pid), {})
        self.assertEqual([path for path in segments if os.path.exists(path)], [])
        self.assertEqual(os.listdir(folder.name), [])

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    @unittest.skipIf(os.environ.get("REGATTA_SANITIZE"), "sanitizers start threads of their own")
    def test_libraries_that_need_threads_fail_where_none_can_be_had(self):
        # oneTBB would never end, ZeroMQ would end the program.
        schemes = ["serial", "std_thread", "tbb", "tbb_group", "std_par", "zmq_inproc"]
        try:
            result = support.run("race", "primes", "--schemes", ",".join(schemes), "--rounds", "1", "--size", "50",
                                 "--max-prime", "1000", "--json", "-", user=31338, group=31338, extra_groups=[],
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)))
        except PermissionError as error:
            raise unittest.SkipTest("other users cannot run this build") from error
        self.assertEqual(result.returncode, 1, result.stderr)
        found = {one["name"]: one["status"] for one in json.loads(result.stdout)["schemes"]}
        self.assertEqual(found, {one: "ok" if one == "serial" else "failed" for one in schemes})

    def test_of_processes(self):
        self.kill_one("processes")

    def test_of_schemes_that_replace_their_workers(self):
        # "Their results are verified all the same"
        result = support.run("race", "--schemes", "std_thread,process_pool,process_pool_cold", "--size", "512",
                             "--rounds", "2", "--kill-every", "10ms", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual(document["kill_every_ns"], 10_000_000)
        for scheme in document["schemes"]:
            self.assertEqual(scheme["status"], "ok", scheme["reason"])
            self.assertTrue(scheme["verified"])
            if scheme["name"] != "std_thread":
                figures = scheme["figures"]
                self.assertGreater(figures["deaths"], 0)
                self.assertGreater(figures["respawn_ns"], 0)
                self.assertIn(f"{scheme['name']} lost ", " ".join(result.stderr.split()))

    def test_the_set_up_of_processes_is_split(self):
        # "Where the workers are processes that the run starts"
        result = support.run("race", "--schemes", "std_thread,processes,process_pool,process_pool_cold",
                             "--size", "128", "--rounds", "2", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        support.validate(document, "race")
        for scheme in document["schemes"]:
            if scheme["name"] in ("processes", "process_pool_cold"):
                self.assertAlmostEqual(sum(scheme["set_up"].values()),
                                       scheme["attribution"]["set_up"],
                                       delta=1 + 0.001 * scheme["attribution"]["set_up"])
                self.assertGreater(scheme["set_up"]["spawning_ns"], 0)
            else:
                self.assertIsNone(scheme["set_up"])

    def test_refuses_to_kill_where_nobody_is_replaced(self):
        result = support.run("race", "--schemes", "std_thread", "--kill-every", "10ms")
        self.assertEqual(result.returncode, 2)
        self.assertIn("process_pool", result.stderr)
        result = support.run("race", "--schemes", "process_pool", "--kill-every", "often")
        self.assertEqual(result.returncode, 2)
        self.assertIn('"often"', result.stderr)

    def test_of_zmq_ipc(self):
        listed = support.run("race", "--list").stdout
        entry = listed[listed.index("zmq_ipc"):]
        if "Skipped here" in entry.split("\n  blas", 1)[0]:
            self.skipTest("zmq_ipc is not there")
        self.kill_one("zmq_ipc")


if __name__ == "__main__":
    support.main()
