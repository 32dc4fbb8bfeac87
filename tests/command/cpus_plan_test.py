# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What `regatta cpus plan` says of this machine and of others, and that it changes nothing."""

import gzip
import json
import os
import tempfile
import unittest

import jsonschema

import support
from support import environment, run

SCHEMA = os.path.join(support.ROOT, "docs", "reference", "cpus_plan.schema.json")
WHOLE_KERNEL = "CONFIG_CPU_ISOLATION=y\nCONFIG_NO_HZ_FULL=y\nCONFIG_RCU_NOCB_CPU=y\n"


def plan(*words):
    """The plan as JSON, checked against its schema, and the exit status."""
    result = run("cpus", "plan", *words, "--json", "-")
    document = json.loads(result.stdout)
    with open(SCHEMA, encoding="utf-8") as file:
        jsonschema.validate(document, json.load(file))
    return document, result


class Machine:
    """The files of a machine with 8 CPUs, n and n + 4 in one core, all in one group of version 2."""

    def __init__(self, case):
        folder = tempfile.TemporaryDirectory()
        case.addCleanup(folder.cleanup)
        self.root = folder.name
        for name in ("online", "present", "possible"):
            self.file(f"/sys/devices/system/cpu/{name}", "0-7\n")
        for cpu in range(8):
            folder = f"/sys/devices/system/cpu/cpu{cpu}/topology/"
            self.file(folder + "core_cpus_list", f"{cpu % 4},{cpu % 4 + 4}\n")
            self.file(folder + "core_id", f"{cpu % 4}\n")
            self.file(folder + "physical_package_id", "0\n")
        self.file("/proc/sys/kernel/osrelease", "6.1.0-40-amd64\n")
        self.file("/proc/cmdline", "root=/dev/sda1 ro\n")
        self.file("/boot/config-6.1.0-40-amd64", WHOLE_KERNEL)

    def file(self, path, text):
        whole = self.root + path
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return self

    def with_groups_v2(self):
        self.file("/proc/self/cgroup", "0::/\n")
        self.file("/proc/self/mountinfo",
                  "30 20 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n")
        self.file("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory\n")
        self.file("/sys/fs/cgroup/cgroup.subtree_control", "cpu\n")
        return self.file("/sys/fs/cgroup/cpuset.cpus.effective", "0-7\n")


class CpusPlan(unittest.TestCase):
    def test_this_machine_has_a_plan_for_its_last_cpu(self):
        with open("/sys/devices/system/cpu/online", encoding="ascii") as file:
            online = file.read().strip()
        last = int(online.replace("-", ",").split(",")[-1])
        if last == 0:
            self.skipTest("one CPU: nothing can be kept free")
        document, result = plan(str(last))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(document["cpus"], str(last))
        with open("/proc/sys/kernel/osrelease", encoding="ascii") as file:
            self.assertEqual(document["kernel"]["release"], file.read().strip())
        if os.path.exists("/proc/config.gz"):
            self.assertEqual(document["kernel"]["configuration"], "/proc/config.gz")
        self.assertIn("isolcpus=", document["boot"]["line"])

    def test_its_command_has_the_permissions_of_the_plan(self):
        own = os.sched_getaffinity(0)
        last = str(max(own))
        if len(own) == 1:
            self.skipTest("one CPU: nothing can be kept free")
        if "not to be had" in run("cpus", "plan", last, "--move-others", "--move-interrupts").stdout:
            self.skipTest("something here keeps the CPUs from being taken")
        for words in ([], ["--move-others"], ["--move-others", "--move-interrupts"]):
            result = run("cpus", "plan", last, *words)
            command = " ".join(["regatta cpus run", last, *words, "-- COMMAND"])
            self.assertIn("Do it with: " + command, " ".join(result.stdout.split()))

    def test_another_machine_is_planned_from_its_files(self):
        machine = Machine(self).with_groups_v2()
        machine.file("/etc/default/grub", 'GRUB_CMDLINE_LINUX=""\n')
        machine.file("/usr/sbin/update-grub", "")
        document, result = plan("1-N:1/2", "--root", machine.root)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((document["cpus"], document["housekeeping"]), ("1,3,5,7", "0,2,4,6"))
        boot = document["boot"]
        self.assertEqual(boot["line"], "isolcpus=managed_irq,domain,1,3,5,7 nohz_full=1,3,5,7 "
                                       "rcu_nocbs=1,3,5,7 irqaffinity=0,2,4,6")
        self.assertEqual(boot["warnings"], [])
        self.assertFalse(boot["in_force"])
        self.assertEqual(boot["boot_loaders"], [{
            "name": "GRUB", "file": "/etc/default/grub",
            "advice": "in /etc/default/grub, add the options to GRUB_CMDLINE_LINUX, inside its quotes; "
                      "then run `update-grub` and reboot."}])
        self.assertEqual(document["run_time"]["level"], "root partition")
        way = next(w for w in document["run_time"]["ways"] if w["impossible"] is None)
        self.assertIn("enable the cpuset controller below /sys/fs/cgroup", way["steps"])
        self.assertTrue(any("write '1,3,5,7' to" in step for step in way["steps"]), way)

    def test_without_a_list_of_online_cpus_it_says_so(self):
        machine = Machine(self)
        os.remove(machine.root + "/sys/devices/system/cpu/online")
        document, result = plan("1", "--root", machine.root)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the online CPUs are unknown", document["run_time"]["refused"])

    def test_huge_pages_stand_on_the_line(self):
        machine = Machine(self)
        machine.file("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0\n")
        machine.file("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "0\n")
        machine.file("/proc/meminfo", "MemTotal: 16777216 kB\nHugepagesize: 2048 kB\n")
        for words, line in (("1G:4", "hugepagesz=1G hugepages=4"), ("512", "hugepagesz=2M hugepages=512"),
                            ("2M:1", "hugepagesz=2M hugepages=1")):
            document, result = plan("2-3,6-7", "--root", machine.root, "--huge-pages", words)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue(document["boot"]["line"].endswith(" " + line), document["boot"]["line"])
        for words, says in (("1G:17", "allowed are 1 to 16"), ("64K:4", "only of 2M, 1G"),
                            ("0", "write 512, 2M:512 or 1G:4"), ("4G", "write 512"), ("1T:4", "write 512"),
                            ("1G:", "write 512"), (":4", "write 512"), ("-1", "write 512"), ("", "write 512")):
            result = run("cpus", "plan", "2-3,6-7", "--root", machine.root, "--huge-pages", words)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn(says, result.stderr)
            self.assertIn("--huge-pages", result.stderr)

    def test_nothing_is_changed(self):
        machine = Machine(self).with_groups_v2()

        def everything():
            found = {}
            for folder, _, names in os.walk(machine.root):
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        found[os.path.join(folder, name)] = file.read()
                found[folder] = sorted(names)
            return found

        before = everything()
        run("cpus", "plan", "2-3,6-7", "--move-others", "--move-interrupts", "--root", machine.root)
        self.assertEqual(everything(), before)

    def test_people_read_the_line_whole_and_the_warnings(self):
        machine = Machine(self)
        result = run("cpus", "plan", "0,3", "--root", machine.root, env=environment(COLUMNS="60"))
        self.assertEqual(result.returncode, 0)
        self.assertIn("\n  isolcpus=managed_irq,domain,0,3 nohz_full=0,3 rcu_nocbs=0,3 "
                      "irqaffinity=1-2,4-7\n", result.stdout)
        self.assertIn("! CPU 0 is the one that the system starts on", result.stdout)
        self.assertIn("! CPU 7 shares a core with CPU 3", result.stdout)
        self.assertNotIn("regatta cpus run", result.stdout)  # Not on another machine.
        for line in result.stdout.splitlines():
            self.assertTrue(len(line) <= 60 or line.startswith("  isolcpus="), line)

    def test_the_configuration_inside_of_the_kernel_is_read(self):
        machine = Machine(self)
        os.remove(machine.root + "/boot/config-6.1.0-40-amd64")
        document, _ = plan("3,7", "--root", machine.root)
        self.assertIsNone(document["kernel"]["configuration"])
        self.assertEqual([w["concern"] for w in document["boot"]["warnings"]], ["unknown_in_kernel"])
        packed = gzip.compress(b"CONFIG_CPU_ISOLATION=y\nCONFIG_RCU_NOCB_CPU=y\n" * 9999)
        machine.file("/proc/config.gz", packed)
        document, _ = plan("3,7", "--root", machine.root)
        self.assertEqual(document["kernel"]["configuration"], "/proc/config.gz")
        self.assertEqual([w["concern"] for w in document["boot"]["warnings"]], ["not_in_kernel"])
        self.assertNotIn("nohz_full", document["boot"]["line"])
        for damaged in (packed[:100], packed[:-4] + b"oops", b"\x1f\x8b" + bytes(99)):
            machine.file("/proc/config.gz", damaged)
            document, _ = plan("3,7", "--root", machine.root)
            self.assertIsNone(document["kernel"]["configuration"])

    def test_all_cpus_get_no_line_and_status_1(self):
        machine = Machine(self)
        document, result = plan("all", "--root", machine.root)
        self.assertEqual(result.returncode, 1)
        self.assertIsNone(document["boot"]["line"])
        self.assertEqual([w["concern"] for w in document["boot"]["warnings"]], ["no_housekeeping"])
        self.assertIsNone(document["run_time"]["level"])
        self.assertIn("at least one must be left", document["run_time"]["refused"])

    def test_what_is_in_force_is_said(self):
        machine = Machine(self)
        document, _ = plan("3,7", "--root", machine.root)
        machine.file("/proc/cmdline", "ro " + document["boot"]["line"] + "\n")
        machine.file("/sys/devices/system/cpu/isolated", "3,7\n")
        document, _ = plan("3,7", "--root", machine.root)
        self.assertTrue(document["boot"]["in_force"])
        self.assertEqual(document["run_time"]["level"], "isolated at boot")
        self.assertIn("nothing to do", run("cpus", "plan", "3,7", "--root", machine.root).stdout)

    def test_what_cannot_be_is_refused_by_name(self):
        machine = Machine(self)
        for words, reason in (
                (["8"], "CPU 8 is out of range, the last is 7"),
                (["3-"], "position 2: expected the last CPU of the range"),
                ([""], "the list names no CPU; this machine has 0-7"),
                ([], "cpus is required"),
                (["3", "--root", "/nowhere"], '--root: "/nowhere" is no directory'),
                (["3", "--root", ""], '--root: "" is no directory'),
                (["3", "--json", "/nowhere/plan.json"], "/nowhere/plan.json")):
            if "--root" not in words:
                words = [*words, "--root", machine.root]
            result = run("cpus", "plan", *words)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn(reason, result.stderr)
            self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    support.main()
