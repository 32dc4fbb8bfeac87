// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "programs/launch.hpp"
#include "programs/program.hpp"

#include <atomic>
#include <memory>
#include <utility>

namespace regatta::race {
namespace {

class program_run final : public scheme {
public:
    explicit program_run(const std::vector<std::string>& words) : words_(words) {}

    void prepare(run_context&) override { launch_ = std::make_unique<program_launch>(words_); }
    void run(run_context& context) override {
        // Relaxed: a flag that publishes nothing; see `run_log::stop`.
        const launch_record record =
            launch_->run([&] { return context.log.stop.load(std::memory_order_relaxed) != 0; });
        launch_.reset(); // What it left behind must not disturb the others.
        usage_ = {record.begin_ns, record.end_ns, record.user_ns + record.system_ns,
                  record.peak_bytes};
    }
    bool logs_items() const noexcept override { return false; }
    const program_usage* program() const noexcept override { return &usage_; }

private:
    const std::vector<std::string>& words_; ///< Of the entry that made this.
    std::unique_ptr<program_launch> launch_;
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
