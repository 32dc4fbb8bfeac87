// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A prefix sum by chunks: one pass where no other worker helps, two over the parts of the others.

#include <regatta/fork/detail/reduce_body.hpp>
#include <regatta/fork/join.hpp>
#include <regatta/fork/parallel_for.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace regatta::detail {

/// Scans `count` elements from `in` to `out`, which may be `in`.
///
/// A worker that comes to a chunk while the sum of all before it is known scans the chunk at once.
/// Otherwise it only sums it up, and the chunk is scanned once all sums are known.
///
/// I1: a chunk is `scanned` exactly if its carry is the sum of all elements up to its end.
template<bool Inclusive, class In, class Out, class T, class Op>
class chunked_scan {
public:
    /// @param init what the first element is added to; without it, an inclusive scan begins with
    ///        that element.
    chunked_scan(In in, std::ptrdiff_t count, Out out, std::optional<T> init, Op& op)
        : in_(in)
        , count_(count)
        , out_(out)
        , init_(std::move(init))
        , op_(op)
        , length_(std::clamp<std::ptrdiff_t>(count / 64, 16, 4096)) {}

    void operator()() {
        if (count_ <= length_) {
            if (count_ > 0) {
                scan(0, std::move(init_));
            }
            return;
        }
        const std::ptrdiff_t chunks = (count_ - 1) / length_ + 1;
        chunks_ = std::make_unique<chunk[]>(static_cast<std::size_t>(chunks));
        visit(0, chunks);
        std::optional<T> before = init_;
        bool all = true;
        for (std::ptrdiff_t i = 0; i < chunks; ++i) {
            chunk& one = at(i);
            if (one.is_scanned()) {
                before = one.carry;
            } else {
                all = false;
                T sum = T(op_(std::as_const(*before), std::move(*one.carry)));
                one.carry = std::exchange(before, std::move(sum));
            }
        }
        if (!all) {
            for_every_index(chunks, [&](std::ptrdiff_t i) {
                if (!at(i).is_scanned()) {
                    scan(i, std::move(at(i).carry));
                }
            });
        }
    }

private:
    struct chunk {
        /// Of a scanned chunk the sum of all up to its end; otherwise its own sum, and at last the
        /// sum of all before it.
        std::optional<T> carry;
        /// Written by the worker that scans the chunk, read by that of the next chunk.
        std::atomic<bool> scanned{false};

        // acquire: partner is the release in finish(); makes `carry` visible.
        bool is_scanned() const noexcept { return scanned.load(std::memory_order_acquire); }

        void finish(std::optional<T> sum) {
            carry = std::move(sum);
            // release: partner is the acquire in is_scanned(); publishes `carry`.
            scanned.store(true, std::memory_order_release);
        }
    };

    chunk& at(std::ptrdiff_t i) const { return chunks_[static_cast<std::size_t>(i)]; }
    std::ptrdiff_t begin_of(std::ptrdiff_t i) const { return i * length_; }
    std::ptrdiff_t end_of(std::ptrdiff_t i) const { return std::min(count_, begin_of(i + 1)); }

    void visit(std::ptrdiff_t begin, std::ptrdiff_t end) {
        if (end - begin > 1) {
            const std::ptrdiff_t mid = begin + (end - begin) / 2;
            regatta::join([&] { visit(begin, mid); }, [&] { visit(mid, end); });
        } else if (begin == 0) {
            at(begin).finish(scan(begin, init_));
        } else if (at(begin - 1).is_scanned()) {
            at(begin).finish(scan(begin, at(begin - 1).carry));
        } else {
            at(begin).carry = sum_of(begin);
        }
    }

    std::optional<T> sum_of(std::ptrdiff_t number) {
        const auto element = [this](std::ptrdiff_t i) -> decltype(auto) { return in_[i]; };
        std::optional<T> sum;
        reduce_body<T, std::ptrdiff_t, decltype(element), Op>{element, op_}.run(
            sum, begin_of(number), end_of(number));
        return sum;
    }

    /// @param sum of all elements before that chunk. @returns the sum of all up to its end.
    std::optional<T> scan(std::ptrdiff_t number, std::optional<T> before) {
        std::ptrdiff_t i = begin_of(number);
        const std::ptrdiff_t end = end_of(number);
        if constexpr (Inclusive) {
            T sum = before ? T(op_(std::move(*before), in_[i])) : T(in_[i]);
            out_[i] = sum;
            for (++i; i < end; ++i) {
                sum = T(op_(std::move(sum), in_[i]));
                out_[i] = sum;
            }
            return sum;
        } else {
            T sum = std::move(*before);
            for (; i < end; ++i) {
                // Before the output, which may be the input.
                T next = T(op_(std::as_const(sum), in_[i]));
                out_[i] = std::move(sum);
                sum = std::move(next);
            }
            return sum;
        }
    }

    In in_;
    std::ptrdiff_t count_;
    Out out_;
    std::optional<T> init_;
    Op& op_;
    std::ptrdiff_t length_; ///< Of a chunk.
    std::unique_ptr<chunk[]> chunks_;
};

} // namespace regatta::detail
