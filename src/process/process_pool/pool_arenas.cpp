// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/pool_arenas.hpp"

#include <regatta/base/cache_line.hpp>
#include <regatta/base/error.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <system_error>

namespace regatta::detail {
namespace {

constexpr std::size_t whole_blocks(std::size_t bytes) noexcept {
    return (bytes + arena_space::block - 1) / arena_space::block * arena_space::block;
}

/// What of the addresses is for one arena: three and the program share them, which have 32 bits or
/// the limit of a batch system. A file has a limit, too.
std::uint64_t part_of_limits() noexcept {
    std::uint64_t least = SIZE_MAX;
    for (const auto which : {RLIMIT_AS, RLIMIT_FSIZE}) {
        rlimit most{};
        if (::getrlimit(which, &most) == 0 && most.rlim_cur != RLIM_INFINITY) {
            least = std::min<std::uint64_t>(least, most.rlim_cur);
        }
    }
    return least / 16;
}

std::size_t size_of_arena(std::size_t limit) {
    const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    // More than any machine has is refused by the system; rounded up, it must not become nothing.
    return whole_blocks(limit != 0 ? std::min<std::size_t>(limit, PTRDIFF_MAX)
                                   : static_cast<std::size_t>(std::min(machine, part_of_limits())));
}

/// Of the arena of the control block and of the words of all jobs that have not ended.
std::size_t size_of_control(std::size_t limit) {
    constexpr std::size_t least_for_jobs = std::size_t{1} << 20;
    return whole_blocks(sizeof(pool_control)) + std::max(size_of_arena(limit), least_for_jobs);
}

static_assert(arena::header_bytes % most_alignment == 0 &&
              arena_space::block % most_alignment == 0);

} // namespace

pool_arenas::pool_arenas(const std::string& name, std::size_t limit)
    : name_(name)
    , control_(arena::reserve("process pool " + name + " control", size_of_control(limit),
                              pool_layout, false))
    , input_(arena::reserve("process pool " + name + " input", size_of_arena(limit), pool_layout,
                            true))
    , output_(arena::reserve("process pool " + name + " output", size_of_arena(limit), pool_layout,
                             false)) {
    control_space_.take(sizeof(pool_control), "make process pool '" + name + "'");
    ::new (control_.data()) pool_control;
}

const arena& pool_arenas::of(pool_segment segment) const noexcept {
    return segment == pool_segment::input    ? input_
           : segment == pool_segment::output ? output_
                                             : control_;
}

void* pool_arenas::allocate(pool_segment segment, std::size_t count, std::size_t size) {
    const std::string operation =
        "process pool '" + name_ + "': allocate " + std::to_string(count) + " elements";
    if (count > SIZE_MAX / size) {
        fail_system(ENOMEM, operation);
    }
    arena_space& space = segment == pool_segment::input ? input_space_ : output_space_;
    const std::lock_guard alone(allocation_);
    const auto made = [&] {
        const std::lock_guard lock(lock_);
        return space.reserve(count * size, operation);
    }();
    try {
        space.prepare(made, operation);
    } catch (...) {
        const std::lock_guard lock(lock_);
        space.withdraw(made);
        throw;
    }
    return of(segment).data() + made.offset;
}

void pool_arenas::release(const void* begin, std::size_t bytes) {
    const auto* const at = static_cast<const std::byte*>(begin);
    const std::lock_guard lock(lock_);
    const auto give_back = [=](const arena& memory, arena_space& space) {
        return at >= memory.data() && at < memory.data() + memory.size() &&
               space.give_back(static_cast<std::size_t>(at - memory.data()), bytes);
    };
    if (!give_back(input_, input_space_) && !give_back(output_, output_space_)) {
        fail_argument("process pool '" + name_ +
                      "': release of memory that it has not given out, or "
                      "of a part of it");
    }
}

unsigned pool_arenas::class_of_words(std::size_t tasks) noexcept {
    const std::size_t least = destructive_alignment / sizeof(task_words::word);
    return static_cast<unsigned>(std::bit_width(std::max(tasks, least) - 1));
}

std::size_t pool_arenas::take_words(std::size_t tasks) {
    const unsigned kind = class_of_words(tasks);
    const auto operation = [&] {
        return "process pool '" + name_ + "': make a job of " + std::to_string(tasks) + " tasks";
    };
    // Below it, the bytes of the words are fewer than a std::size_t can count.
    constexpr unsigned countable =
        std::numeric_limits<std::size_t>::digits - std::bit_width(sizeof(task_words::word) - 1);
    if (kind >= countable) {
        fail_system(ENOMEM, operation());
    }
    word_list& words = words_[kind];
    if (words.free.empty()) {
        const std::size_t bytes = bytes_of_class(kind);
        const std::size_t more = words_in_part(kind);
        if (words.free.capacity() < words.made + more) {
            words.free.reserve(2 * (words.made + more)); // So that giving back never fails.
        }
        std::size_t first = 0;
        try {
            first = control_space_.take(more * bytes, operation());
        } catch (const std::system_error&) {
            give_back_unused_parts();
            first = control_space_.take(more * bytes, operation());
        }
        words.made += more;
        for (std::size_t i = more; i-- != 0;) {
            words.free.push_back(first + i * bytes);
        }
    }
    const std::size_t offset = words.free.back();
    words.free.pop_back();
    return offset;
}

void pool_arenas::give_words(std::size_t offset, std::size_t tasks) {
    words_[class_of_words(tasks)].free.push_back(offset);
}

void pool_arenas::give_back_unused_parts() noexcept {
    for (unsigned kind = 0; kind < words_.size(); ++kind) {
        word_list& words = words_[kind];
        std::sort(words.free.begin(), words.free.end());
        auto kept = words.free.begin();
        for (auto first = words.free.begin(); first != words.free.end();) {
            const std::size_t part = *first / arena_space::block;
            const auto last = std::find_if(first, words.free.end(), [part](std::size_t offset) {
                return offset / arena_space::block != part;
            });
            if (static_cast<std::size_t>(last - first) == words_in_part(kind)) {
                control_space_.give_back(*first, words_in_part(kind) * bytes_of_class(kind));
                words.made -= words_in_part(kind);
            } else {
                kept = std::copy(first, last, kept);
            }
            first = last;
        }
        words.free.erase(kept, words.free.end());
    }
}

located_span pool_arenas::locate(const void* data, std::size_t count, std::size_t size) const {
    if (count == 0) {
        return {};
    }
    const auto* const at = static_cast<const std::byte*>(data);
    const std::lock_guard lock(lock_);
    const auto within = [&](const arena& memory, const arena_space& space) {
        return at >= memory.data() && at < memory.data() + memory.size() &&
               count <= memory.size() / size && // So that the product is no less.
               space.has(static_cast<std::size_t>(at - memory.data()), count * size);
    };
    const bool in_input = within(input_, input_space_);
    if (!in_input && !within(output_, output_space_)) {
        fail_argument("process pool '" + name_ +
                      "': the elements are not in its memory: take them from allocate() or "
                      "allocate_input()");
    }
    const arena& memory = in_input ? input_ : output_;
    return {in_input ? pool_segment::input : pool_segment::output,
            static_cast<std::uint64_t>(at - memory.data()), count};
}

std::byte* pool_arenas::at(const located_span& where) const noexcept {
    return where.segment == pool_segment::none ? nullptr : of(where.segment).data() + where.offset;
}

} // namespace regatta::detail
