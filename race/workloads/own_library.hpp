// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Shared libraries of the user's own, with a workload or a scheme.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// Whether that is how such a file is named: with a slash or its ending, "./mine.so".
bool names_file(std::string_view text) noexcept;

/// Which file it was that a path named.
struct file_stamp {
    std::uint64_t device;
    std::uint64_t inode;
    std::int64_t changed_s;
    std::int64_t changed_ns;

    bool operator==(const file_stamp&) const = default;
};
/// Failure: `std::runtime_error` where there is no such file.
file_stamp stamp_of(const std::string& path);

/// The path from the root, without symbolic links.
/// Failure: `std::runtime_error` where there is no such file.
std::string path_from_root(const std::string& path);

/// Loads a library and finds a function in it. It stays loaded.
/// @param why what is wrong, where null is returned.
/// Threads: any, at once.
void* function_of_library(const std::string& path, const char* function, std::string& why);

/// What a library offers, by its function of that name: an `Entry` of this version. It stays
/// loaded.
/// @param header where the user reads about that function.
/// @param why what is wrong, where null is returned.
template<class Entry>
const Entry* entry_of_library(const std::string& path, const std::string& function,
                              const char* header, std::string& why) {
    const auto make =
        reinterpret_cast<const Entry* (*)()>(function_of_library(path, function.c_str(), why));
    if (make == nullptr) {
        why += std::string("; see ") + header;
        return nullptr;
    }
    const Entry* entry = nullptr;
    try {
        entry = make();
    } catch (...) {
        why = "its function " + function + " throws";
        return nullptr;
    }
    if (entry == nullptr) {
        why = "its function " + function + " returns a null pointer";
    } else if (entry->version != Entry::current_version) {
        why = "it was built for version " + std::to_string(entry->version) +
              " of the interface; this is version " + std::to_string(Entry::current_version);
        entry = nullptr;
    }
    return entry;
}

/// The files that were loaded, from the root. They are mapped: who writes to one changes code that
/// may run.
/// Threads: any, at once.
std::vector<std::string> loaded_libraries();

/// What a thread runs of the code of such a library, for the report of a crash.
struct own_code {
    const char* part = nullptr; ///< "the workload's own code, in run()", …; null: nothing of it.
    std::size_t item = no_item; ///< Of a workload's `run`.

    static constexpr std::size_t no_item = static_cast<std::size_t>(-1);
};
/// Threads: each has its own; may be called from a signal handler.
own_code own_code_here() noexcept;

/// While it lives, the thread runs that part of such code.
class own_code_scope {
public:
    explicit own_code_scope(const char* part, std::size_t item = own_code::no_item) noexcept;
    own_code_scope(const own_code_scope&) = delete;
    own_code_scope& operator=(const own_code_scope&) = delete;
    ~own_code_scope();

private:
    own_code outer_;
};

} // namespace regatta::race
