# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What `regatta cpus` shows of this machine and of others."""

import json
import os
import shutil
import tempfile
import unittest

import jsonschema

import support
from support import environment, run

SCHEMA = os.path.join(support.ROOT, "docs", "reference", "cpus.schema.json")


def list_of(text):
    """The numbers of a list as the kernel prints it."""
    numbers = []
    for part in filter(None, text.split(",")):
        low, _, high = part.partition("-")
        numbers.extend(range(int(low), int(high or low) + 1))
    return numbers


class Machine:
    """The files of a machine, in a folder that goes with the object."""

    def __init__(self, case):
        folder = tempfile.TemporaryDirectory()
        case.addCleanup(folder.cleanup)
        self.root = folder.name

    def file(self, path, text):
        whole = self.root + path
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        return self

    def cpu_file(self, path, text):
        return self.file("/sys/devices/system/cpu/" + path, text)


def two_sockets(case):
    """Two sockets of two cores with two siblings, n and n + 4; 3 is isolated, 8-9 are not there."""
    machine = Machine(case)
    for name, text in (("online", "0-7"), ("present", "0-7"), ("possible", "0-9"),
                       ("isolated", "3"), ("nohz_full", "(null)")):
        machine.cpu_file(name, text)
    for cpu in range(8):
        core = cpu % 4
        socket = core // 2
        machine.cpu_file(f"cpu{cpu}/topology/core_cpus_list", f"{core},{core + 4}")
        machine.cpu_file(f"cpu{cpu}/topology/core_id", str(core % 2))
        machine.cpu_file(f"cpu{cpu}/topology/physical_package_id", str(socket))
        for index, (level, kind, size, shared) in enumerate((
                (1, "Data", "32K", f"{core},{core + 4}"),
                (2, "Unified", "1280K", f"{core},{core + 4}"),
                (3, "Unified", "24576K", ("0-1,4-5", "2-3,6-7")[socket]))):
            folder = f"cpu{cpu}/cache/index{index}/"
            machine.cpu_file(folder + "level", str(level)).cpu_file(folder + "type", kind)
            machine.cpu_file(folder + "size", size).cpu_file(folder + "shared_cpu_list", shared)
    machine.file("/sys/devices/system/node/online", "0-1")
    for node, cpus in enumerate(("0-1,4-5", "2-3,6-7")):
        folder = f"/sys/devices/system/node/node{node}/"
        machine.file(folder + "cpulist", cpus)
        machine.file(folder + "distance", ("10 21", "21 10")[node])
        machine.file(folder + "meminfo", f"Node {node} MemTotal:  16777216 kB")
    return machine


class CpusShow(unittest.TestCase):
    def document(self, *words):
        result = run("cpus", *words, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(document)
        return document

    def test_this_machine_is_the_one_that_the_kernel_tells_of(self):
        document = self.document()
        with open("/sys/devices/system/cpu/online", encoding="utf-8") as file:
            self.assertEqual(document["online"], file.read().strip())
        self.assertEqual(set(list_of(document["allowed"])), os.sched_getaffinity(0))
        online = list_of(document["online"])
        self.assertEqual([cpu["cpu"] for cpu in document["cpus"]], online)
        for parts in ("cores", "dies", "packages", "nodes", "kinds"):
            cpus = sorted(cpu for part in document[parts] for cpu in list_of(part["cpus"]))
            self.assertEqual(cpus, online, parts)

    def test_a_pinned_command_says_what_it_may_use(self):
        mine = min(os.sched_getaffinity(0))
        result = run("cpus", "--json", "-", preexec_fn=lambda: os.sched_setaffinity(0, {mine}))
        self.assertEqual(json.loads(result.stdout)["allowed"], str(mine))

    def test_people_see_the_same_machine(self):
        result = run("cpus")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        for word in ("Package", "cores", "who may use what", "this command", "housekeeping"):
            self.assertIn(word, result.stdout)

    def test_another_machine_is_read_from_its_files(self):
        document = self.document("--root", two_sockets(self).root)
        self.assertEqual(document["possible"], "0-9")
        self.assertEqual(document["isolated"], "3")
        self.assertEqual(document["nohz_full"], "")
        self.assertEqual(document["housekeeping"], "0-2,4-7")
        self.assertIsNone(document["allowed"])  # of this process, not of that machine
        self.assertEqual([core["cpus"] for core in document["cores"]], ["0,4", "1,5", "2,6", "3,7"])
        self.assertEqual(document["nodes"][1], {"id": 1, "memory_bytes": 16 << 30,
                                                "distances": [21, 10], "cpus": "2-3,6-7"})
        self.assertEqual(document["caches"][-1], {"level": 3, "type": "unified", "bytes": 24 << 20,
                                                  "line_bytes": None, "cpus": "2-3,6-7"})

    def test_people_see_another_machine(self):
        text = run("cpus", "--root", two_sockets(self).root).stdout
        for line in ("8 CPUs, 4 cores (SMT), 2 packages, 2 memory nodes", "Can be plugged in: 8-9.",
                     "Package 1: CPUs 2-3,6-7", "cores   2,6 3,7", "L1d     32 KiB a core",
                     "L2      1.2 MiB a core", "L3      24 MiB\n"):
            self.assertIn(line, text)
        self.assertRegex(text, r"1 +16 GiB +2-3,6-7 +21 +10\n")
        self.assertRegex(text, r"isolated +3 +at boot")
        self.assertNotIn("this command", text)

    def test_names_give_no_commands_to_the_terminal(self):
        machine = two_sockets(self).file("/proc/cpuinfo", "model name\t: some\033[2J processor")
        self.assertTrue(run("cpus", "--root", machine.root).stdout.startswith("some?[2J processor\n"))

    def test_memory_without_nodes_is_that_of_all_packages(self):
        machine = two_sockets(self)
        shutil.rmtree(machine.root + "/sys/devices/system/node")
        machine.file("/proc/meminfo", "MemTotal:       16777216 kB")
        text = run("cpus", "--root", machine.root).stdout
        self.assertIn("8 CPUs, 4 cores (SMT), 2 packages, 16 GiB of memory\n", text)
        self.assertEqual(text.count("16 GiB"), 1, text)  # not of each

    def test_kinds_of_cores_are_shown_where_there_are_several(self):
        machine = two_sockets(self)
        machine.file("/sys/devices/cpu_core/cpus", "0-3,4-5")
        machine.file("/sys/devices/cpu_atom/cpus", "6-7")
        text = run("cpus", "--root", machine.root).stdout
        self.assertIn("2 kinds of cores", text)
        self.assertRegex(text, r"efficiency +6-7\n")

    def test_groups_with_cpus_of_their_own_are_listed(self):
        machine = two_sockets(self)
        machine.file("/proc/self/mountinfo",
                     "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
                     "34 31 0:30 / /v1 rw - cgroup cgroup rw,cpuset")
        for path, cpus, partition in (("", "0-7", None), ("/a", "0-7", "member"),
                                      ("/a/b", "0-1", "member"), ("/mine", "6-7", "isolated")):
            machine.file(f"/sys/fs/cgroup{path}/cpuset.cpus.effective", cpus)
            if partition:
                machine.file(f"/sys/fs/cgroup{path}/cpuset.cpus.partition", partition)
        for path, cpus, exclusive in (("", "0-7", "1"), ("/x", "0-7", "0"), ("/y", "2-3", "1")):
            machine.file(f"/v1{path}/cpuset.effective_cpus", cpus)
            machine.file(f"/v1{path}/cpuset.cpu_exclusive", exclusive)
        machine.file("/sys/fs/cgroup/cpuset.cpus.isolated", "6-7")
        document = self.document("--root", machine.root)
        self.assertEqual(document["groups"], [
            {"path": "/y", "version": 1, "partition": "exclusive", "cpus": "2-3"},
            {"path": "/a/b", "version": 2, "partition": None, "cpus": "0-1"},
            {"path": "/mine", "version": 2, "partition": "isolated", "cpus": "6-7"}])
        self.assertEqual(document["partitioned"], "6-7")
        text = run("cpus", "--root", machine.root).stdout
        self.assertRegex(text, r"group /mine +6-7 +partition: isolated\n")
        self.assertRegex(text, r"group /y +2-3 +exclusive\n")

    def test_isolation_at_boot_is_told_from_that_by_groups(self):
        machine = two_sockets(self)
        machine.file("/proc/self/mountinfo", "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
        machine.file("/sys/fs/cgroup/cpuset.cpus.effective", "0-5")
        machine.file("/sys/fs/cgroup/mine/cpuset.cpus.effective", "6-7")
        machine.file("/sys/fs/cgroup/mine/cpuset.cpus.partition", "isolated")
        # Kernels before 6.12, from then on, and those that list partitions in both files.
        for isolated, partitioned in (("3", "6-7"), ("3", "3,6-7"), ("3,6-7", "3,6-7")):
            machine.cpu_file("isolated", isolated).file("/sys/fs/cgroup/cpuset.cpus.isolated", partitioned)
            text = run("cpus", "--root", machine.root).stdout
            self.assertRegex(text, r"isolated +3 +at boot")
            self.assertRegex(text, r"partitioned +6-7 +isolated by a control group")

    def test_columns_are_kept_where_there_is_room_at_all(self):
        root = two_sockets(self).root
        for columns in (40, 80):
            result = run("cpus", "--root", root, env=environment(COLUMNS=str(columns)))
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), columns, line)
        more = run("cpus", env=environment(COLUMNS="20")).stdout.partition("More:")[2]
        self.assertIn("status", more)
        for line in ("More:" + more).splitlines():
            self.assertLessEqual(len(line), 20, line)

    def test_a_locale_without_utf8_gets_ascii(self):
        self.assertTrue(run("cpus", env=environment(LC_ALL="C")).stdout.isascii())

    def test_what_cannot_be_is_refused_by_name(self):
        with tempfile.TemporaryDirectory() as empty:
            result = run("cpus", "--root", empty)
            self.assertEqual(result.returncode, 1)
            self.assertIn(empty + "/sys/devices/system/cpu/online", result.stderr)
        for words, message in ((("--root", "/nonexistent"), '"/nonexistent" is no directory'),
                               (("--root", ""), '--root: "" is no directory'),
                               (("--json", ""), "the name of the file is empty"),
                               (("--json", "/nonexistent/f"), "/nonexistent/f"),
                               (("--json", "-", "check", "0"), "whose options follow it"),
                               (("chekc",), 'did you mean "cpus check"?')):
            result = run("cpus", *words)
            self.assertEqual(result.returncode, 2, (words, result.stderr))
            self.assertIn(message, result.stderr)


if __name__ == "__main__":
    support.main()
