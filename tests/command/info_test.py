# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What `regatta info` tells of this machine and of others."""

import json
import os
import subprocess
import tempfile
import unittest

import support
from support import environment, run


class Info(unittest.TestCase):
    def document(self, *words, **options):
        result = run("info", *words, "--json", "-", **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        support.validate(document, "info")
        self.assertEqual(result.stderr, "")
        return document

    def other_machine(self, files):
        """A folder with the files of a machine."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for path, text in files.items():
            whole = folder.name + path
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with open(whole, "w", encoding="utf-8") as file:
                file.write(text)
        return folder.name

    @unittest.skipUnless(os.geteuid() == 0, "needs a mount namespace, which only root may make")
    def test_what_no_file_tells_is_absent(self):
        hidden = subprocess.run(
            ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /sys &&"
             " mount --bind /dev/null /proc/cpuinfo && exec \"$0\" info --json -", support.REGATTA],
            env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if "unshare" in hidden.stderr or "mount" in hidden.stderr:
            self.skipTest(hidden.stderr)
        self.assertEqual(hidden.returncode, 0, hidden.stderr)
        machine = json.loads(hidden.stdout)["machine"]
        for told in (machine["cores"], machine["available_cores"], machine["processor"]["sockets"],
                     machine["processor"]["nodes"]):
            self.assertIsNone(told, machine["processor"])

    def test_not_every_core_has_as_many_threads(self):
        files = {f"/sys/devices/system/cpu/{name}": "0-3\n" for name in ("online", "present", "possible")}
        for cpu, siblings in enumerate(("0-1", "0-1", "2", "3")):
            folder = f"/sys/devices/system/cpu/cpu{cpu}/topology/"
            files[folder + "core_cpus_list"] = siblings
        result = run("info", "--root", self.other_machine(files))
        self.assertIn("3 cores in 1 socket, up to 2 threads each (SMT)", result.stdout)

    def test_this_machine_is_the_one_that_the_kernel_tells_of(self):
        document = self.document()
        self.assertEqual(document["command"].split()[1:], ["info", "--json", "-"])
        machine = document["machine"]
        names = os.uname()
        self.assertEqual(machine["kernel"], f"{names.sysname} {names.release}")
        self.assertEqual(machine["architecture"], names.machine)
        self.assertEqual(machine["memory_bytes"],
                         os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        self.assertEqual(machine["online_cpus"], os.sysconf("SC_NPROCESSORS_ONLN"))
        self.assertEqual(machine["nice"], os.nice(0))

    def test_what_is_done_to_the_command_is_told(self):
        mine = min(os.sched_getaffinity(0))

        def hinder():
            os.sched_setaffinity(0, {mine})
            os.nice(7)
        machine = self.document(preexec_fn=hinder)["machine"]
        self.assertEqual(machine["allowed_cpus"], str(mine))
        self.assertEqual(machine["available_cpus"], 1)
        self.assertGreaterEqual(machine["nice"], 7)
        self.assertTrue(any("nice value" in warning for warning in machine["warnings"]))

    # OpenMP's library binds the main thread when it is loaded, and whatever that starts would run there.
    def test_openmp_that_binds_its_threads_takes_no_cpus_away(self):
        allowed = self.document()["machine"]["allowed_cpus"]
        for settings in ({"OMP_PROC_BIND": "true"}, {"OMP_PLACES": "cores"}, {"GOMP_CPU_AFFINITY": "0"}):
            with self.subTest(**settings):
                machine = self.document(env=environment(**settings))["machine"]
                self.assertEqual(machine["allowed_cpus"], allowed)

    def test_the_python_that_is_named_is_the_one_that_is_told(self):
        machine = self.document(env=environment(REGATTA_PYTHON="/nonexistent/python"))["machine"]
        self.assertIsNone(machine["python"])
        text = run("info", env=environment(REGATTA_PYTHON="/nonexistent/python")).stdout
        self.assertIn("REGATTA_PYTHON is set: no Python: cannot run /nonexistent/python: No such file or directory;",
                      " ".join(text.split()))

    def test_people_see_the_same(self):
        result = run("info", env=environment(COLUMNS="80"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        for word in ("System\n", "Processor\n", "Memory\n", "Load\n", "Libraries\n", "This program\n"):
            self.assertIn(word, result.stdout)
        self.assertTrue(run("info", env=environment(LC_ALL="C")).stdout.isascii())

    def test_another_machine_is_read_from_its_files(self):
        root = self.other_machine({
            "/etc/os-release": 'PRETTY_NAME="openEuler 22.03 (LTS-SP3)"\n',
            "/proc/sys/kernel/ostype": "Linux\n",
            "/proc/sys/kernel/osrelease": "5.10.0\n",
            "/proc/sys/kernel/arch": "aarch64\n",
            "/proc/meminfo": "MemTotal: 7340032 kB\nMemAvailable: 6000000 kB\n",
            "/proc/cpuinfo": "".join(f"processor\t: {cpu}\nFeatures\t: fp asimd\n"
                                     "CPU implementer\t: 0x48\nCPU part\t: 0xd01\n\n" for cpu in range(4)),
            "/proc/self/status": "Cpus_allowed_list:\t0-3\n",
            "/proc/self/cgroup": "0::/a\n",
            "/proc/self/mountinfo": "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "/sys/fs/cgroup/a/cpu.max": "150000 100000\n",
            "/sys/devices/system/cpu/online": "0-3\n",
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "schedutil\n",
        })
        machine = self.document("--root", root)["machine"]
        self.assertEqual(machine["cpu_model"], "Kunpeng-920 (TaiShan v110)")
        self.assertEqual(machine["system"], "openEuler 22.03 (LTS-SP3)")
        self.assertEqual(machine["kernel"], "Linux 5.10.0")
        self.assertEqual(machine["architecture"], "aarch64")
        self.assertEqual(machine["cpu_quota"], 1.5)
        self.assertEqual(machine["available_cpus"], 2)
        self.assertEqual(machine["governor"], "schedutil")
        self.assertIsNone(machine["blas"])  # only a machine that runs can be asked
        self.assertIsNone(machine["python"])
        warnings = "\n".join(machine["warnings"])
        self.assertIn("1.5 workers cannot be had", warnings)
        self.assertIn("cpupower frequency-set -g performance", warnings)

    def test_of_a_machine_with_few_files_little_is_known(self):
        root = self.other_machine({"/sys/devices/system/cpu/online": "0-6\n"})
        machine = self.document("--root", root)["machine"]
        self.assertEqual(machine["online_cpus"], 7)
        for member in ("cpu_model", "nice", "load_average", "cpu_quota"):
            self.assertIsNone(machine[member], member)
        self.assertEqual(machine["processor"]["caches"], [])

    def test_a_directory_without_a_machine_is_refused(self):
        """Its CPUs would be those of this machine."""
        result = run("info", "--root", self.other_machine({}), "--json", "-")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, "")
        self.assertIn("/sys/devices/system/cpu/online", result.stderr)

    def test_what_cannot_be_is_refused_by_name(self):
        for words, message in ((("--root", "/nonexistent"), '"/nonexistent" is no directory'),
                               (("--root", ""), '--root: "" is no directory'),
                               (("--json", ""), "the name of the file is empty"),
                               (("--json", "/nonexistent/f"), "/nonexistent/f"),
                               (("more",), "more")):
            result = run("info", *words)
            self.assertEqual(result.returncode, 2, (words, result.stderr))
            self.assertIn(message, result.stderr)
            self.assertEqual(result.stdout, "")
        self.assertIn('did you mean "info"?', run("inof").stderr)


if __name__ == "__main__":
    support.main()
