// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "programs/launch_record.hpp"
#include "programs/program.hpp"
#include "schemes/process_team.hpp"

#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>
#include <regatta/process/subprocess.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

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

/// The launcher of one run, and the program with all that it started in the launcher's group.
class launch {
public:
    explicit launch(const std::vector<std::string>& words) {
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
    launch(const launch&) = delete;
    launch& operator=(const launch&) = delete;
    ~launch() {
        if (!process_.status()) {
            kill_group();
        }
    }

    void go() const {
        const char byte = 1;
        // Where the launcher is gone already, reading says so.
        static_cast<void>(::send(socket_.get(), &byte, 1, MSG_NOSIGNAL));
    }
    /// Whether there is something to read, or the launcher has ended.
    bool answers(int within_ms) const {
        pollfd watched{socket_.get(), POLLIN, 0};
        return ::poll(&watched, 1, within_ms) > 0;
    }
    launch_record read() {
        launch_record record;
        if (::recv(socket_.get(), &record, sizeof record, MSG_DONTWAIT) != sizeof record) {
            kill_group();
            throw scheme_failure("its launcher (process " + std::to_string(process_.pid()) +
                                 ") was ended: " + process_.wait().describe() +
                                 "; perhaps by the program, with a signal to its process group");
        }
        return record;
    }

private:
    /// The launcher was not waited for yet, so that its number is still that of its group.
    void kill_group() noexcept { ::kill(-process_.pid(), SIGKILL); }

    detail::unique_descriptor socket_;
    subprocess process_;
};

std::string failure_of(const launch_record& record) {
    const std::string_view how = record.how;
    const std::string_view said = record.last_line;
    std::string text(how);
    if (how.starts_with("killed")) {
        text.insert(0, "was ");
    }
    return text + (text.empty() || said.empty() ? "" : ": ") + std::string(said);
}

class program_run final : public scheme {
public:
    explicit program_run(const std::vector<std::string>& words) : words_(words) {}

    void prepare(run_context&) override { launch_ = std::make_unique<launch>(words_); }
    void run(run_context& context) override {
        launch_->go();
        while (!launch_->answers(look_ms)) {
            // Relaxed: a flag that publishes nothing; see `run_log::stop`.
            if (context.log.stop.load(std::memory_order_relaxed) != 0) {
                throw scheme_failure("ended, because the race was");
            }
        }
        const launch_record record = launch_->read();
        launch_.reset(); // What it left behind must not disturb the others.
        if (!record.success) {
            throw scheme_failure(failure_of(record));
        }
        usage_ = {record.begin_ns, record.end_ns, record.cpu_ns, record.peak_bytes};
    }
    bool logs_items() const noexcept override { return false; }
    const program_usage* program() const noexcept override { return &usage_; }

private:
    const std::vector<std::string>& words_; ///< Of the entry that made this.
    std::unique_ptr<launch> launch_;
    program_usage usage_;
};

} // namespace

scheme_info program_scheme(const program_command& program, unsigned workers) {
    std::vector<std::string> words;
    for (const std::string& word : program.words) {
        words.push_back(with_workers(word, workers));
    }
    return {.name = "program",
            .summary = "a program of the user's, from its start to its end",
            .suits = "comparing with anything",
            .make = [words = std::move(words)](const scheme_options&) -> std::unique_ptr<scheme> {
                return std::make_unique<program_run>(words);
            },
            .command = with_workers(program.text, workers)};
}

} // namespace regatta::race
