// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/pool_options.hpp"

#include "process/process_pool/control_block.hpp"
#include "process/process_pool/worker_entry.hpp"
#include <regatta/base/error.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/process/subprocess.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace regatta::detail {
namespace {

/// The environment that a child would get now. It has no entry that is no variable.
process_environment as_it_is(const process_environment& wanted) {
    process_environment fixed = process_environment::empty();
    for (const std::string& entry : wanted.entries()) {
        const auto equals = entry.find('=');
        if (equals != 0 && equals != std::string::npos) {
            fixed.set(entry.substr(0, equals), entry.substr(equals + 1));
        }
    }
    return fixed;
}

/// The path itself where this process has no directory.
std::string absolute(const std::string& path) {
    std::error_code error;
    const auto whole = std::filesystem::absolute(path, error);
    return error ? path : whole.string();
}

} // namespace

process_pool_options checked_options(process_pool_options options) {
    const std::string who = "process pool '" + options.name + "': ";
    if (options.worker_program.empty()) {
        check_not_a_worker();
    } else if (const std::string found = find_program(options.worker_program); !found.empty()) {
        options.worker_program = absolute(found);
    }
    if (options.workers == 0) {
        options.workers =
            std::min(most_workers, options.cpus ? options.cpus.count() : available_cpus());
    }
    if (options.workers > most_workers) {
        fail_argument(who + std::to_string(options.workers) + " workers, at most " +
                      std::to_string(most_workers) + " are possible");
    }
    if (options.attempts == 0 || options.attempts > task_word::max_attempts) {
        fail_argument(who + std::to_string(options.attempts) + " attempts, possible are 1 to " +
                      std::to_string(task_word::max_attempts));
    }
    if (options.deadline < std::chrono::nanoseconds(0)) {
        fail_argument(who + "the deadline is negative; 0 means none");
    }
    check_scheduling(options.schedule);
    for (const inherited_descriptor& one : options.descriptors) {
        if (one.parent < 0) {
            fail_argument(who + "descriptor " + std::to_string(one.parent) +
                          " of this process cannot exist: the number is negative");
        }
        if (one.child < first_free_descriptor) {
            fail_argument(who + "a descriptor as number " + std::to_string(one.child) +
                          " of the workers; numbers from " + std::to_string(first_free_descriptor) +
                          " on are free");
        }
    }
    options.environment = as_it_is(options.environment);
    if (!options.directory.empty()) {
        options.directory = absolute(options.directory);
    }
    return options;
}

} // namespace regatta::detail
