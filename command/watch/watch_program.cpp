// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "watch/watch_program.hpp"

#include <fmt/core.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace regatta::command {

watch_program::watch_program(const std::vector<std::string>& words, bool beside_view)
    : began_(std::chrono::steady_clock::now()) {
    spawn_options options;
    options.program = words.at(0);
    options.arguments.assign(words.begin() + 1, words.end());
    options.own_process_group = true;
    options.keep_ignored_signals = true;
    detail::unique_descriptor nothing;
    if (::isatty(STDIN_FILENO) != 0) {
        nothing = detail::unique_descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        options.standard_input = nothing.get();
    }
    if (!beside_view) {
        options.standard_output = STDERR_FILENO;
    } else {
        for (const auto& [stream, place] : {std::pair(STDOUT_FILENO, &options.standard_output),
                                            std::pair(STDERR_FILENO, &options.standard_error)}) {
            if (::isatty(stream) != 0) {
                if (!output_) {
                    output_.emplace();
                }
                *place = output_->descriptor();
            }
        }
    }
    // The program is a background process of the terminal. After `stty tostop` this signal would
    // stop it when it prints. Beside a view it may: nobody else writes there.
    void (*before)(int) = beside_view ? SIG_ERR : std::signal(SIGTTOU, SIG_IGN);
    child_ = spawn(options);
    if (before != SIG_ERR) {
        std::signal(SIGTTOU, before);
    }
}

void watch_program::pass_on(int signal) noexcept {
    // As long as nobody has waited for it, its number is nobody else's.
    if (!child_.status()) {
        ::kill(-child_.pid(), signal);
        // One that the terminal has stopped takes it only when it goes on.
        if (signal != SIGTSTP && signal != SIGCONT) {
            ::kill(-child_.pid(), SIGCONT);
        }
    }
}

std::optional<int> watch_program::status() {
    const bool knew = child_.status().has_value();
    const auto how = child_.wait_for(std::chrono::nanoseconds(0));
    if (!how) {
        return std::nullopt;
    }
    if (!knew) {
        ended_ = std::chrono::steady_clock::now();
    }
    return how->exited() ? how->code() : 128 + how->signal();
}

std::string watch_program::end_text() const {
    const std::chrono::duration<double> wall = ended_ - began_;
    const std::chrono::duration<double> cpu = child_.times().user + child_.times().system;
    return fmt::format("{} after {:.2f} s, with {:.2f} s of CPU time",
                       child_.status().value().describe(), wall.count(), cpu.count());
}

} // namespace regatta::command
