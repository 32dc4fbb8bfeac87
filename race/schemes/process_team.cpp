// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/process_team.hpp"

#include "schemes/worker_process.hpp"

#include <regatta/base/error.hpp>

#include <cerrno>
#include <climits>
#include <csignal>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace regatta::race {
namespace {

std::string describe(std::size_t worker, const subprocess& process, const exit_status& status) {
    std::string how = status.describe();
    if (status.signaled()) {
        how = "was " + how;
    }
    return "worker " + std::to_string(worker) + " (process " + std::to_string(process.pid()) +
           ") " + how;
}

} // namespace

void process_team::start(const std::string& program, std::string_view scheme_name,
                         run_context& context, const std::vector<std::string>& arguments) {
    spawn_options options{
        .program = program,
        .arguments = {worker_flag, std::string(scheme_name), std::string(context.work.name())},
        .descriptors = {{context.work.descriptor(), worker_workload_descriptor},
                        {context.log_descriptor, worker_log_descriptor}},
        .own_process_group = true};
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    try {
        workers_.push_back(spawn(options));
    } catch (const std::system_error& error) {
        throw scheme_failure("worker " + std::to_string(workers_.size()) +
                             " could not be started: " + error.what());
    }
}

void process_team::wait_all() {
    std::vector<pollfd> running;
    for (const subprocess& worker : workers_) {
        running.push_back({worker.pidfd(), POLLIN, 0});
    }
    for (std::size_t left = running.size(); left > 0;) {
        if (::poll(running.data(), running.size(), -1) < 0 && errno != EINTR) {
            fail_system(errno, "wait for the workers");
        }
        for (std::size_t i = 0; i < running.size(); ++i) {
            if (running[i].fd < 0 || running[i].revents == 0) {
                continue;
            }
            if (!workers_[i].wait().success()) {
                fail(i);
            }
            running[i].fd = -1; // poll skips it
            --left;
        }
    }
}

std::vector<int> process_team::pidfds() const {
    std::vector<int> all;
    for (const subprocess& worker : workers_) {
        all.push_back(worker.pidfd());
    }
    return all;
}

void process_team::fail(std::size_t worker) {
    const std::string text = describe(worker, workers_[worker], workers_[worker].wait());
    end();
    throw scheme_failure(text);
}

void process_team::end() noexcept {
    for (subprocess& worker : workers_) {
        worker.kill(SIGKILL); // all at once; their destructors wait for them
    }
    workers_.clear();
}

std::string this_program() {
    char path[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    if (length < 0) {
        fail_system(errno, "find this program by /proc/self/exe");
    }
    return std::string(path, static_cast<std::size_t>(length));
}

std::string helper_program(const std::string& name, int mode) {
    const std::string self = this_program();
    const std::string folder = self.substr(0, self.rfind('/') + 1);
    for (const char* helpers :
         {REGATTA_HELPERS_FROM_COMMAND, "../libexec/regatta/", "../../libexec/regatta/"}) {
        const std::string candidate = folder + helpers + name;
        if (::access(candidate.c_str(), mode) == 0) {
            return candidate;
        }
    }
    return {};
}

std::string worker_program() {
    const std::string worker = helper_program("regatta-worker");
    return worker.empty() ? worker_role.program("; or regatta-worker has to be installed in "
                                                "../libexec/regatta of its folder")
                          : worker;
}

} // namespace regatta::race
