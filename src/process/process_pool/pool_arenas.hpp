// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The memory of a process pool, in the parent.

#include "process/process_pool/arena.hpp"
#include "process/process_pool/control_block.hpp"
#include <regatta/process/detail/process_function.hpp>

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace regatta::detail {

/// The three arenas, and what of them is given out.
///
/// Threads: any, at once; `take_words` and `give_words` under the pool's lock.
class pool_arenas final : public pool_memory {
public:
    /// @param limit bytes that each may give out; 0: the machine's memory.
    pool_arenas(const std::string& name, std::size_t limit);

    pool_control& control() const noexcept {
        return *reinterpret_cast<pool_control*>(control_.data());
    }
    const arena& of(pool_segment segment) const noexcept;

    /// Blocks: while another thread allocates.
    void* allocate(pool_segment segment, std::size_t count, std::size_t size);
    void release(const void* begin, std::size_t bytes);

    /// Words for that many tasks, of memory that has never been anything but words: workers may
    /// look at those of a job that is over. @returns their offset.
    std::size_t take_words(std::size_t tasks);
    void give_words(std::size_t offset, std::size_t tasks);
    task_words::word* words_at(std::size_t offset) const noexcept {
        return reinterpret_cast<task_words::word*>(control_.data() + offset);
    }

    located_span locate(const void* data, std::size_t count, std::size_t size) const override;
    std::byte* at(const located_span& where) const noexcept override;

private:
    /// Words for jobs of about the same number of tasks.
    struct word_list {
        std::vector<std::size_t> free; ///< The offsets of those that no job has.
        std::size_t made = 0;          ///< How many there are.
    };

    static unsigned class_of_words(std::size_t tasks) noexcept;
    static constexpr std::size_t bytes_of_class(unsigned kind) noexcept {
        return (std::size_t{1} << kind) * sizeof(task_words::word);
    }
    /// How many words of a class one part of the arena has.
    static constexpr std::size_t words_in_part(unsigned kind) noexcept {
        return bytes_of_class(kind) < arena_space::block ? arena_space::block / bytes_of_class(kind)
                                                         : 1;
    }
    /// Gives the arena back the parts whose words no job has, for jobs of other sizes.
    void give_back_unused_parts() noexcept;

    std::string name_;
    arena control_;
    arena input_;
    arena output_;
    arena_space control_space_{control_};
    std::array<word_list, 64> words_; ///< By the logarithm of their number.
    /// Of the thread that allocates: the pages of one part are there before those of another are
    /// asked for. Taken before `lock_`, which no thread holds while the system finds pages.
    std::mutex allocation_;
    mutable std::mutex lock_; ///< Guards all below.
    arena_space input_space_{input_};
    arena_space output_space_{output_};
};

} // namespace regatta::detail
