// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Functions that worker processes know by name, and what they are called with.

#include <regatta/base/config.hpp>
#include <regatta/process/process_job.hpp>
#include <regatta/process/shared_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace regatta::detail {

/// What of a pool's memory something lies in.
enum class pool_segment : std::uint32_t { none, control, input, output };

/// Elements in the pool's memory, without a pointer: each process maps it elsewhere.
struct located_span {
    pool_segment segment = pool_segment::none;
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
};

/// Where this process has mapped the pool's memory.
class pool_memory {
public:
    /// Where elements are that lie in memory that `allocate` gave out; an empty span is nowhere.
    /// Failure: `std::invalid_argument` for others.
    virtual located_span locate(const void* data, std::size_t count, std::size_t size) const = 0;
    virtual std::byte* at(const located_span& where) const noexcept = 0;

protected:
    ~pool_memory() = default;
};

/// What one call of a registered function works on, in a worker.
struct task_frame {
    const process_task& task;
    const pool_memory& memory;
    located_span input;
    located_span output;
    const std::byte* arguments;
    std::byte* result;
};

/// Ends this process at once if it is a fork of the worker that called the function: it must not go
/// on as a second worker. To be called when the function has returned or thrown, before its result
/// is stored. Cost: a load.
REGATTA_SYSTEM_API void end_fork_of_worker() noexcept;

/// How many bytes the arguments of a task have at most, and its result.
inline constexpr std::size_t most_arguments = 512;
inline constexpr std::size_t most_result = 512;
/// How far elements in the pool's memory are aligned: as its parts are, and each mapping of it.
inline constexpr std::size_t most_alignment = 4096;

/// An entry of the registry: one way to call one function.
struct process_function {
    std::uint64_t id;
    std::string_view name;
    void (*call)(const task_frame&);
    process_function* next = nullptr;
    bool ambiguous = false; ///< Another function has the same name.
};

/// Adds to the registry of this process, before `main` or when a library is loaded.
REGATTA_SYSTEM_API bool add_process_function(process_function& added) noexcept;
/// Takes out of it again, at the end of the program or when the library is unloaded.
REGATTA_SYSTEM_API void remove_process_function(process_function& removed) noexcept;

/// Has a function stand in the registry for as long as it lives.
class process_function_entry {
public:
    explicit process_function_entry(process_function& of) noexcept : function_(of) {
        add_process_function(of);
    }
    process_function_entry(const process_function_entry&) = delete;
    process_function_entry& operator=(const process_function_entry&) = delete;
    ~process_function_entry() { remove_process_function(function_); }

private:
    process_function& function_;
};

/// The name of a function, as the compiler spells it: the same in every build of a source.
template<auto Function>
constexpr std::string_view name_of_function() noexcept {
    std::string_view text = __PRETTY_FUNCTION__; // Clang 14 has no std::source_location.
    const auto begin = text.find("Function = ");
    text.remove_prefix(begin == std::string_view::npos ? 0 : begin + 11);
    return text.substr(0, text.find_first_of(";]"));
}

/// The entry of a function that `Shape` calls; to name it anywhere in a program registers it.
template<auto Function, class Shape>
struct registered_function {
    static process_function& entry() noexcept {
        static_cast<void>(&added); // So that it is there, and initialised before main.
        return function;
    }

private:
    inline static process_function function{layout_hash(name_of_function<Function>()) * 31 +
                                                Shape::layout,
                                            name_of_function<Function>(), &Shape::call};
    inline static const process_function_entry added{function};
};

} // namespace regatta::detail
