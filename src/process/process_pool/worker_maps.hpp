// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The three arenas of a process pool, as one process has mapped them.

#include "process/process_pool/arena.hpp"
#include "process/process_pool/control_block.hpp"
#include <regatta/process/detail/process_function.hpp>

#include <cstddef>
#include <cstdint>

namespace regatta::detail {

/// What a worker has of the pool's memory: the input read-only, the rest to write.
class worker_maps final : public pool_memory {
public:
    /// Maps what the parent passed on. Failure: `std::system_error`.
    worker_maps()
        : control_(arena::attach(control_descriptor, pool_layout, true))
        , input_(arena::attach(input_descriptor, pool_layout, false))
        , output_(arena::attach(output_descriptor, pool_layout, true)) {}

    pool_control& control() const noexcept {
        return *reinterpret_cast<pool_control*>(control_.data());
    }
    /// The words of a job; null where they would lie outside of the memory, as those of a job do
    /// that was rewritten while it was read.
    task_words::word* words_of(std::uint64_t offset, std::uint64_t tasks) const noexcept {
        return offset <= control_.size() && tasks <= (control_.size() - offset) / 8
                   ? reinterpret_cast<task_words::word*>(control_.data() + offset)
                   : nullptr;
    }

    located_span locate(const void*, std::size_t, std::size_t) const override { return {}; }
    std::byte* at(const located_span& where) const noexcept override {
        switch (where.segment) {
        case pool_segment::input:
            return input_.data() + where.offset;
        case pool_segment::output:
            return output_.data() + where.offset;
        case pool_segment::none:
        case pool_segment::control:
            break;
        }
        return nullptr;
    }

private:
    arena control_;
    arena input_;
    arena output_;
};

} // namespace regatta::detail
