// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/python_process.hpp"

#include "machine/python.hpp"
#include "schemes/process_team.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <exception>
#include <iterator>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace regatta::race {
namespace {

/// Under these numbers Python inherits what it shares with the race, as job.py and run.py know.
constexpr int workload_descriptor = 3;
constexpr int log_descriptor = 4;
constexpr int records_descriptor = 5;
constexpr int socket_descriptor = 6;

/// What the libraries read with which a numpy may compute.
constexpr const char* blas_thread_variables[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                                                 "OMP_NUM_THREADS", "MKL_NUM_THREADS",
                                                 "BLIS_NUM_THREADS"};

process_environment environment(bool one_blas_thread) {
    process_environment changed;
    for (const char* name : blas_thread_variables) {
        if (one_blas_thread) {
            changed.set(name, "1");
        } else {
            changed.unset(name);
        }
    }
    return changed;
}

} // namespace

python_process::python_process(const python_start& start, const run_context& context,
                               const std::vector<layout_number>& numbers) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        fail_system(errno, "make a socket for Python");
    }
    socket_.reset(ends[0]);
    const detail::unique_descriptor its_end(ends[1]);
    const memory_file nothing;
    spawn_options options{
        .program = find_python().path,
        .arguments = {"-B", python_program(), start.way, std::to_string(context.workers),
                      std::string(context.work.name()), std::to_string(context.work.items())},
        .environment = environment(start.one_blas_thread),
        .standard_input = nothing.descriptor(),
        .standard_output = nothing.descriptor(),
        .standard_error = complaints_.descriptor(),
        .descriptors = {{context.work.descriptor(), workload_descriptor},
                        {context.log_descriptor, log_descriptor},
                        {start.records, records_descriptor},
                        {its_end.get(), socket_descriptor}},
        .own_process_group = true};
    for (const layout_number& one : numbers) {
        options.arguments.push_back(std::string(one.name) + "=" + std::to_string(one.value));
    }
    try {
        child_ = spawn(options);
    } catch (const std::system_error& error) {
        throw scheme_failure(std::string("Python could not be started: ") + error.what());
    }
}

python_process::~python_process() {
    socket_.reset(); // by which it ends
    try {
        if (child_.wait_for(std::chrono::seconds(5))) {
            return;
        }
    } catch (const std::exception&) { // its end was lost to somebody else's wait
        return;
    }
    ::kill(-child_.pid(), SIGKILL);
}

void python_process::say(std::string_view word) {
    const std::string text = std::string(word) + "\n";
    if (::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) < 0) {
        fail();
    }
}

std::string python_process::line() {
    std::string text;
    for (;;) {
        // Its children have its end of the socket, too: the end of Python alone does not close it.
        pollfd watched[] = {{socket_.get(), POLLIN, 0}, {child_.pidfd(), POLLIN, 0}};
        if (::poll(watched, std::size(watched), -1) < 0 && errno != EINTR) {
            fail_system(errno, "wait for Python");
        }
        char part[256];
        const ssize_t got = ::recv(socket_.get(), part, sizeof part, MSG_DONTWAIT);
        if (got > 0) {
            text.append(part, static_cast<std::size_t>(got));
            if (text.ends_with('\n')) { // it says one line, and then it waits
                text.pop_back();
                return text;
            }
        } else if (got == 0 || watched[1].revents != 0) {
            fail();
        }
    }
}

answer_numbers python_process::answer(std::string_view word) {
    const std::string text = line();
    std::istringstream words(text);
    std::string one;
    words >> one;
    if (one != word) {
        throw scheme_failure("Python answered \"" + text + "\" instead of " + std::string(word));
    }
    answer_numbers numbers;
    while (words >> one) {
        const auto equals = std::min(one.find('='), one.size() - 1);
        std::from_chars(one.data() + equals + 1, one.data() + one.size(),
                        numbers[one.substr(0, equals)]);
    }
    return numbers;
}

void python_process::fail() {
    socket_.reset();
    pollfd end{child_.pidfd(), POLLIN, 0};
    while (::poll(&end, 1, 5000) < 0 && errno == EINTR) {
    }
    // Also what it started. It was not waited for yet, so that its number is still that of its
    // group.
    ::kill(-child_.pid(), SIGKILL);
    const exit_status status = child_.wait();
    const std::string said = complaints_.last_line();
    throw scheme_failure("Python (process " + std::to_string(child_.pid()) + ") " +
                         (status.signaled() ? "was " : "") + status.describe() +
                         (said.empty() ? "" : ": " + said));
}

std::string python_program() {
    return helper_program("python/run.py", R_OK);
}

} // namespace regatta::race
