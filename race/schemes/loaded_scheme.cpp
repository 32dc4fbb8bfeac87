// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/loaded_scheme.hpp"

#include "schemes/thread_runner.hpp"
#include "workloads/own_library.hpp"

#include <regatta/base/detail/printable_text.hpp>
#include <regatta/race/item_scheme.hpp>

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace regatta::race {
namespace {

/// What a file offers.
struct scheme_file {
    std::string path; ///< From the root.
    std::string name; ///< As the command line has it.
    const scheme_entry* entry = nullptr;
    scheme_info info{};
};

class loaded_scheme final : public scheme {
public:
    explicit loaded_scheme(const scheme_entry& entry) : entry_(entry) {}
    ~loaded_scheme() override {
        if (own_ != nullptr) {
            const own_code_scope at("the scheme's own code, in the destructor");
            entry_.end(own_);
        }
    }

    void prepare(run_context& context) override {
        scheme_entry::text why{};
        const own_code_scope at("the scheme's own code, in the constructor");
        own_ = entry_.make(context.workers, &why);
        if (own_ == nullptr) {
            throw scheme_failure("it could not be made: " + said(why));
        }
    }

    void run(run_context& context) override {
        run_.emplace(context.work, context.log);
        const scheme_items items(calls, &*run_, context.work.items());
        scheme_entry::text why{};
        const own_code_scope at("the scheme's own code, in run()");
        if (!entry_.run(own_, &items, &why)) {
            throw scheme_failure("its run() failed: " + said(why));
        }
    }

private:
    /// What a call from the library needs of a run.
    struct calls_of_run {
        calls_of_run(workload& work, run_log& to) noexcept : runners(work, to), log(to) {}
        thread_runners runners;
        run_log& log;
    };

    static void run_item(const void* of, std::size_t item) noexcept {
        static_cast<calls_of_run*>(const_cast<void*>(of))->runners(item);
    }
    static void hand_over(const void* of, std::size_t item) noexcept {
        const run_log& log = static_cast<const calls_of_run*>(of)->log;
        log.offered.hand_over(item, log.stop);
    }
    static constexpr scheme_items::functions calls{run_item, hand_over};

    static std::string said(const scheme_entry::text& why) {
        return detail::printable_text(why.letters);
    }

    const scheme_entry& entry_;
    /// Outlives the scheme: after a failure its workers may still have items until they are joined.
    std::optional<calls_of_run> run_;
    void* own_ = nullptr;
};

/// Why there is no scheme in it, or nothing.
std::string open(scheme_file& file) {
    const own_code_scope at("the scheme's own code, in what runs when it is loaded");
    std::string why;
    file.entry = entry_of_library<scheme_entry>(file.path, "regatta_scheme",
                                                "regatta/race/item_scheme.hpp", why);
    return why;
}

void describe(scheme_file& file) {
    file.info = {.name = file.name,
                 .summary = "a scheme of your own",
                 .suits = "what it was written for",
                 .make = [entry = file.entry](const scheme_options&) -> std::unique_ptr<scheme> {
                     return std::make_unique<loaded_scheme>(*entry);
                 },
                 .single_tasks = file.entry->one_by_one,
                 .reusable = true,
                 .on_request = true};
}

/// All that were loaded.
struct scheme_files {
    std::mutex mutex;
    std::list<scheme_file> files; ///< Their addresses stay.
};

scheme_files& all_loaded() {
    static scheme_files all;
    return all;
}

} // namespace

const scheme_info& load_scheme(const std::string& path) {
    auto& [mutex, files] = all_loaded();
    const std::string whole = path_from_root(path);
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(files, whole, &scheme_file::path);
    if (found != files.end()) {
        return found->info;
    }
    scheme_file file{.path = whole, .name = detail::printable_text(path)};
    if (const std::string why = open(file); !why.empty()) {
        throw std::runtime_error(path + " is no scheme: " + why);
    }
    describe(files.emplace_back(std::move(file)));
    return files.back().info;
}

} // namespace regatta::race
