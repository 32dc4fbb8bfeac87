// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "programs/launch.hpp"

#include "schemes/process_team.hpp"
#include "schemes/scheme.hpp"

#include <regatta/base/error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace regatta::race {
namespace {

constexpr const char* launcher_name = "regatta-launcher";
/// How often a wait looks whether the race is to end.
constexpr int look_ms = 50;

std::string launcher() {
    const std::string path = helper_program(launcher_name);
    if (path.empty()) {
        throw scheme_failure(std::string("libexec/regatta/") + launcher_name +
                             ", which starts programs, is not where regatta is installed");
    }
    return path;
}

std::string failure_of(const launch_record& record) {
    const std::string_view how = record.how;
    const std::string_view said = record.last_line;
    std::string text(how);
    if (how.starts_with("killed")) {
        text.insert(0, "was ");
    }
    return text + (text.empty() || said.empty() ? "" : ": ") + std::string(said);
}

/// Whether the kernel has stopped that child, and with it its process group, as one of them reads
/// or sets up the terminal.
bool waits_for_terminal(pid_t child) noexcept {
    siginfo_t how{};
    return ::waitid(P_PID, static_cast<id_t>(child), &how, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           how.si_pid == child && (how.si_status == SIGTTIN || how.si_status == SIGTTOU);
}

} // namespace

program_launch::program_launch(const std::vector<std::string>& words) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        fail_system(errno, "make a socket for the launcher");
    }
    socket_ = detail::unique_descriptor(ends[0]);
    const detail::unique_descriptor other(ends[1]);
    const detail::unique_descriptor nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!nowhere) {
        fail_system(errno, "open /dev/null");
    }
    process_ = spawn({.program = launcher(),
                      .arguments = words,
                      .standard_input = nowhere.get(),
                      .standard_output = nowhere.get(),
                      .descriptors = {{other.get(), launch_descriptor}},
                      .death_signal = 0, // It sees the end of this process, and ends the rest.
                      .own_process_group = true});
}

program_launch::~program_launch() {
    if (!process_.status()) {
        kill_group();
    }
}

launch_record program_launch::run(const std::function<bool()>& stop) {
    const char byte = 1;
    // Where the launcher is gone already, reading says so.
    static_cast<void>(::send(socket_.get(), &byte, 1, MSG_NOSIGNAL));
    while (!answers(look_ms)) {
        if (stop()) {
            throw scheme_failure("ended, because the race was");
        }
        if (waits_for_terminal(process_.pid())) {
            throw scheme_failure("was stopped, as it reads or sets up the terminal, which belongs "
                                 "to the race");
        }
    }
    const launch_record record = read();
    if (!record.success) {
        throw scheme_failure(failure_of(record));
    }
    return record;
}

/// Whether there is something to read, or the launcher has ended.
bool program_launch::answers(int within_ms) const {
    pollfd watched{socket_.get(), POLLIN, 0};
    return ::poll(&watched, 1, within_ms) > 0;
}

launch_record program_launch::read() {
    launch_record record;
    if (::recv(socket_.get(), &record, sizeof record, MSG_DONTWAIT) != sizeof record) {
        kill_group();
        throw scheme_failure("its launcher (process " + std::to_string(process_.pid()) +
                             ") was ended: " + process_.wait().describe() +
                             "; perhaps by the program, with a signal to its process group");
    }
    return record;
}

/// The launcher was not waited for yet, so that its number is still that of its group.
void program_launch::kill_group() noexcept {
    ::kill(-process_.pid(), SIGKILL);
}

} // namespace regatta::race
