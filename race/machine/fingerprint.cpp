// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/fingerprint.hpp"

#include "machine/file_text.hpp"
#include "machine/processor_name.hpp"

#include <regatta/base/version.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>

#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <thread>

namespace regatta::race {
namespace {

std::string compiler_name() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

/// Without the blanks that empty variables of the build leave.
std::string tidy(std::string text) {
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

void read_system(const std::string& root, fingerprint& m) {
    utsname names{};
    if (root.empty() && ::uname(&names) == 0) {
        m.kernel = std::string(names.sysname) + " " + names.release;
        m.architecture = names.machine;
    } else if (const std::string release = line_of(root + "/proc/sys/kernel/osrelease");
               !release.empty()) {
        m.kernel = line_of(root + "/proc/sys/kernel/ostype") + " " + release;
        m.architecture = line_of(root + "/proc/sys/kernel/arch");
    }
    m.system = value_of(root + "/etc/os-release", "PRETTY_NAME", '=');
    m.boot_options = read_boot_options(root);
    m.mitigations = read_mitigations(root);
    m.guest = read_virtualisation(root);
    m.board = line_of(root + "/proc/device-tree/model");
}

/// The mask of this thread; of another machine that of the process whose files were kept, which the
/// kernel prints with the CPUs that are offline.
cpu_set allowed_of(const std::string& root, const cpu_set& online) {
    cpu_set allowed;
    if (root.empty()) {
        return try_affinity_of_this_thread(allowed) == 0 ? allowed : cpu_set();
    }
    cpu_list_error error;
    const auto mask = cpu_set::try_parse(
        value_of(root + "/proc/self/status", "Cpus_allowed_list", ':'), cpu_set::max_width, error);
    return !mask ? cpu_set() : online.empty() ? *mask : *mask & online;
}

void read_cpus(const std::string& root, fingerprint& m) {
    m.cpu_model = processor_name(root);
    m.cpu = read_processor(root);
    m.online_cpus =
        m.cpu.cpus != 0 ? m.cpu.cpus : std::max(1u, std::thread::hardware_concurrency());
    m.allowed_cpus = allowed_of(root, m.cpu.online);
    if (!m.allowed_cpus.empty()) {
        m.available_cores = m.cpu.cores_of(m.allowed_cpus);
    }
    m.clock = read_clock_settings(m.cpu.online, root);
    m.group = read_control_group(root);
    const unsigned allowed = m.allowed_cpus.empty() ? m.online_cpus : m.allowed_cpus.count();
    m.available_cpus = cap_cpus(allowed, m.group.quota);
}

int nice_of_this_process() noexcept {
    errno = 0;
    const int nice = ::getpriority(PRIO_PROCESS, 0);
    return errno == 0 ? nice : 0;
}

} // namespace

std::string utc_text(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

fingerprint take_fingerprint(const std::string& root) {
    fingerprint m;
    // Before anything is done here that is load itself.
    m.load_average = decimal(line_of(root + "/proc/loadavg"));
    m.waiting = read_pressure(root);
    read_system(root, m);
    read_cpus(root, m);
    m.memory = read_memory_state(root);
    if (root.empty()) {
        m.nice = nice_of_this_process();
        m.blas = find_blas_record();
        m.python = find_python();
    }
    m.compiler = compiler_name();
    m.flags = tidy(REGATTA_BUILD_FLAGS);
    m.build_type = REGATTA_BUILD_TYPE;
    m.version = version_string;
    m.time = utc_text();
    return m;
}

} // namespace regatta::race
