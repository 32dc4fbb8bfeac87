// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "watch/watch_session.hpp"

#include "common/disk_file.hpp"
#include "common/output_file.hpp"
#include "common/terminal.hpp"
#include "common/usage_error.hpp"
#include "machine/observer.hpp"
#include "report/watch/watch_json.hpp"
#include "report/watch/watch_lines.hpp"
#include "text/command_line.hpp"
#include "watch/watch_events.hpp"
#include "watch/watch_program.hpp"
#include "watch/watch_view.hpp"

#include <fmt/core.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>

namespace regatta::command {
namespace {

using std::chrono::steady_clock;

/// "12:04:05", here.
std::string clock_text(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    char text[16];
    std::strftime(text, sizeof text, "%H:%M:%S", &parts);
    return text;
}

/// Why the watching ended.
struct watch_end {
    int signal = 0;
    bool process_ended = false;
    bool quit = false;
    bool written = true; ///< Whether all could be written that was to be.
};

void stop_together(watch_events& events, watch_program* program) {
    if (program != nullptr) {
        program->pass_on(SIGTSTP);
    }
    events.stop_here();
    if (program != nullptr) {
        program->pass_on(SIGCONT);
    }
}

/// The loop of looks.
class watch_session {
public:
    watch_session(const watch_options& options, watch_events& events, output_file* json,
                  watch_program* program, std::optional<int> process, int pidfd)
        : options_(options)
        , events_(events)
        , json_(json)
        , program_(program)
        , pidfd_(pidfd)
        , observer_(process) {}

    watch_end run(bool live) {
        if (live) {
            view_.emplace(style_of(STDOUT_FILENO).colour);
        }
        watch_sources sources{.process = pidfd_};
        if (live) {
            sources.screen = STDOUT_FILENO;
            sources.keyboard = ::isatty(STDIN_FILENO) != 0 ? STDIN_FILENO : -1;
        }
        // The first figures of a view come soon, whatever its pace.
        constexpr std::chrono::nanoseconds soon = std::chrono::milliseconds(250);
        auto next =
            steady_clock::now() + (live ? std::min(options_.interval, soon) : options_.interval);
        watch_end end;
        while (!is_over(end)) {
            const watch_event seen = events_.wait(sources, next);
            if (seen.signal == SIGWINCH) {
                follow_size();
            } else if (seen.signal == SIGTSTP) {
                stop();
            } else if (seen.signal != 0 || seen.terminal_gone) {
                end.signal = seen.signal != 0 ? seen.signal : SIGHUP;
            }
            end.process_ended = seen.ended;
            end.quit = seen.key && !handle_keys();
            if (!is_over(end) && steady_clock::now() >= next) {
                end.process_ended = !look(end);
                next += options_.interval;
                if (const auto now = steady_clock::now(); next < now) {
                    next = now + options_.interval; // It was stopped, or is too slow for its pace.
                }
            } else if (end.process_ended) {
                look(end);
            }
        }
        view_.reset();
        return end;
    }

private:
    bool is_over(const watch_end& end) const {
        return end.signal != 0 || end.process_ended || end.quit || !end.written ||
               (options_.count && looks_ >= *options_.count);
    }

    void follow_size() {
        if (view_) {
            view_->resize();
            draw();
        }
    }

    /// Ctrl-Z: the program stops and goes on with this process.
    void stop() {
        if (view_) {
            view_->suspend();
        }
        stop_together(events_, program_);
        follow_size();
    }

    /// Looks and shows it. @returns whether what is watched still lives.
    bool look(watch_end& end) {
        last_ = observer_.observe();
        if (program_ != nullptr) {
            last_->process->title = race::joined(options_.program);
        }
        ++looks_;
        try {
            if (json_ != nullptr) {
                json_->append(race::to_json_line(*last_));
            }
            if (view_) {
                draw();
            } else if (json_ == nullptr || !json_->is_standard_output()) {
                race::watch_frame frame;
                frame.clock = clock_text(last_->time);
                frame.pace =
                    fmt::format("over {:.2f} s", static_cast<double>(last_->elapsed_ns) / 1e9);
                write_all(STDOUT_FILENO,
                          (looks_ > 1 ? "\n" : "") +
                              race::watch_text(*last_, frame, style_of(STDOUT_FILENO)),
                          "cannot write to standard output");
            }
        } catch (const std::system_error& error) {
            view_.reset();
            tell(error.what());
            end.written = false;
        }
        return !last_->process || last_->process->alive;
    }

    race::watch_frame frame() const {
        race::watch_frame frame;
        frame.clock = clock_text(last_->time);
        frame.pace = "every " + options_.pace;
        frame.first_thread = first_thread_;
        if (program_ != nullptr && program_->output() != nullptr) {
            frame.has_output = true;
            frame.last_output = program_->output()->last_line();
        }
        return frame;
    }

    race::text_style style() const {
        race::text_style style = style_of(STDOUT_FILENO);
        style.width = view_->columns();
        return style;
    }

    void draw() {
        if (last_ && view_->can_draw()) {
            view_->draw(race::watch_screen(*last_, frame(), view_->rows(), style()));
        }
    }

    /// @returns false for the key that ends it.
    bool handle_keys() {
        using key = watch_view::key;
        const std::size_t page = std::max<std::size_t>(view_->rows() / 2, 1);
        while (const auto pressed = view_->read_key()) {
            if (*pressed == key::quit) {
                return false;
            }
            if (!last_) {
                continue;
            }
            const std::size_t end =
                race::last_first_thread(*last_, frame(), view_->rows(), style());
            const std::size_t step =
                *pressed == key::page_up || *pressed == key::page_down ? page : 1;
            first_thread_ = std::min(first_thread_, end); // The list may have become shorter.
            switch (*pressed) {
            case key::up:
            case key::page_up:
                first_thread_ -= std::min(first_thread_, step);
                break;
            case key::down:
            case key::page_down:
                first_thread_ = std::min(first_thread_ + step, end);
                break;
            case key::first:
                first_thread_ = 0;
                break;
            case key::last:
                first_thread_ = end;
                break;
            case key::quit:
            case key::other:
                break;
            }
        }
        draw();
        return true;
    }

    const watch_options& options_;
    watch_events& events_;
    output_file* json_;
    watch_program* program_;
    int pidfd_;
    race::observer observer_;
    std::optional<watch_view> view_;
    std::optional<race::observation> last_;
    unsigned long looks_ = 0;
    std::size_t first_thread_ = 0;
};

/// After the watching: the program goes on in the foreground, to its end. Signals go to it.
int accompany(watch_program& program, watch_events& events, const watch_end& end) {
    watch_output* output = program.output();
    const auto show_output = [&] {
        try {
            if (output != nullptr) {
                output->copy_new(STDOUT_FILENO);
            }
        } catch (const std::system_error&) {
            output = nullptr; // Its reader is gone.
        }
    };
    if (end.signal != 0) {
        program.pass_on(end.signal);
    }
    std::optional<int> status = program.status();
    const bool left = end.quit && !status;
    show_output();
    if (left) {
        tell(fmt::format("the program goes on as process {}; Ctrl-C ends it", program.pid()));
    }
    while (!status) {
        constexpr auto soon = std::chrono::milliseconds(100);
        const watch_event seen =
            events.wait({.process = program.pidfd()}, steady_clock::now() + soon);
        if (seen.signal == SIGTSTP) {
            stop_together(events, &program);
        } else if (seen.signal != 0 && seen.signal != SIGWINCH) {
            program.pass_on(seen.signal);
        }
        show_output();
        status = program.status();
    }
    show_output();
    return *status;
}

/// Starts the program. @param status what to return if it cannot be.
std::optional<watch_program> start(const std::vector<std::string>& words, bool live, int& status) {
    std::optional<watch_program> program;
    try {
        program.emplace(words, live);
    } catch (const std::system_error& error) {
        tell(fmt::format("cannot run {}: {}", words[0], error.code().message()));
        status = error.code().value() == ENOENT ? 127 : 126;
    }
    return program;
}

} // namespace

int run_watch(const watch_options& options) {
    std::optional<output_file> json;
    if (!options.json.empty()) {
        try {
            json.emplace(options.json);
        } catch (const std::system_error& error) {
            throw usage_error(error.what());
        }
    }
    if (json && !json->is_standard_output()) {
        require_two_files("--json " + options.json, json->descriptor(), "standard output",
                          STDOUT_FILENO);
    }
    const bool json_to_output = json && json->is_standard_output();
    const bool live = !options.once && !json_to_output && is_live_terminal(STDOUT_FILENO);
    if (live) {
        watch_view::require_known_terminal();
    }
    watch_events events;
    std::optional<watch_program> program;
    std::optional<int> process = options.process;
    detail::unique_descriptor pidfd;
    if (!options.program.empty()) {
        int status = 0;
        program = start(options.program, live, status);
        if (!program) {
            return status;
        }
        process = program->pid();
    } else if (process) {
        // Absent with an old kernel: then its end is seen at the next look.
        pidfd = detail::unique_descriptor(static_cast<int>(::syscall(SYS_pidfd_open, *process, 0)));
    }
    const auto watch = [&] {
        watch_session session(options, events, json ? &*json : nullptr,
                              program ? &*program : nullptr, process,
                              program ? program->pidfd() : pidfd.get());
        return session.run(live);
    };
    const watch_end end = watch();
    int status = end.signal != 0 ? 128 + end.signal : exit_code::success;
    if (program) {
        status = accompany(*program, events, end);
        if (live) {
            tell(fmt::format("{}: {}", options.program[0], program->end_text()));
        }
    } else if (live && end.process_ended) {
        tell(fmt::format("process {} has ended", *process));
    }
    return status == exit_code::success && !end.written ? exit_code::failure : status;
}

} // namespace regatta::command
