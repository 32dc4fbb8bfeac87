// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A loop over indices whose remaining iterations can be split and given away.

#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/fork_access.hpp>
#include <regatta/core/detail/loop_part.hpp>
#include <regatta/fork/fork_options.hpp>
#include <regatta/fork/shared_pool.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// The team of a loop that names no pool: of the region that is open, of the task's pool, or of the
/// process-wide pool.
REGATTA_INLINE fork_team& fork_loop_home() {
    if (fork_team* const open = fork_stack::current().team_of_region()) {
        return *open;
    }
    const worker_context* const worker = worker_context::current();
    return worker != nullptr && worker->forks != nullptr ? *static_cast<fork_team*>(worker->forks)
                                                         : shared_pool_owner::team();
}

/// The result of a loop without one.
struct no_result {};

/// The index of a loop over the elements from an iterator on. A difference type need not be an
/// integral one: that of `std::views::iota` over `std::size_t` is a class or an extended integer,
/// which the GNU dialect takes for an integral one.
template<class Iterator>
using loop_index =
    std::conditional_t<std::integral<std::iter_difference_t<Iterator>> &&
                           sizeof(std::iter_difference_t<Iterator>) <= sizeof(std::ptrdiff_t),
                       std::iter_difference_t<Iterator>, std::ptrdiff_t>;

REGATTA_RARE [[noreturn]] inline void fail_loop_end() {
    fail_argument("a loop whose end does not fit into the type of its begin, which is the type of "
                  "the index: give both the wider type");
}
/// The end of a loop in the type of its begin. Throws `std::invalid_argument` for an integer that
/// this type cannot hold: `parallel_for(0, v.size(), f)` with 2^31 elements must not visit none.
template<class Index, class End>
constexpr Index loop_end(End end) {
    const auto converted = static_cast<Index>(end);
    if constexpr (std::integral<Index> && std::integral<End>) {
        if (static_cast<End>(converted) != end || (converted < Index{}) != (end < End{})) {
            fail_loop_end();
        }
    }
    return converted;
}

REGATTA_RARE [[noreturn]] inline void fail_loop_count() {
    fail_argument("a loop over more elements than a std::ptrdiff_t can count");
}
/// The number of elements between two iterators. Throws `std::invalid_argument` where `Index`
/// cannot hold it, as with a view of all integers of 64 bits.
template<class Index, class Distance>
constexpr Index loop_count(Distance distance) {
    const auto count = static_cast<Index>(distance);
    if (static_cast<Distance>(count) != distance) {
        fail_loop_count();
    }
    return count;
}

/// The end of the output of as many elements as lie between two iterators that far apart.
template<class Out, class Distance>
Out output_end(Out out, Distance distance) {
    return out + static_cast<std::iter_difference_t<Out>>(distance);
}

/// A loop of one type: what `loop_part` knows of it.
///
/// @tparam Body has a type `result`, and
/// - `run(result&, i, j)`: runs the iterations from i to j - 1, which follow those in the result;
/// - perhaps `run_one(i)`: the same of one iteration, where there is no result;
/// - `join(result&, result&&)`: appends a result to the one of the iterations before.
template<class Index, class Body>
class typed_loop {
    using number = std::make_unsigned_t<std::common_type_t<Index, int>>;
    using result = typename Body::result;
    static constexpr bool bare = std::is_same_v<result, no_result>;

public:
    /// Unless the index is wider, all loops count alike.
    using count =
        std::conditional_t<sizeof(number) <= sizeof(std::uint64_t), std::uint64_t, number>;
    using part = loop_part<count>;

    typed_loop(const Body& body, Index begin) noexcept : body_(body), begin_(begin) {}

    static count distance(Index from, Index to) noexcept {
        return static_cast<number>(static_cast<number>(to) - static_cast<number>(from));
    }
    bool run(fork_team& team, count all, result& into, const fork_options& options) const {
        fork_stack& stack = fork_stack::current();
        if (all == 1 && stack.team_of_region() == &team && !options.stop.stop_possible()) {
            return run_alone(stack, into);
        }
        rooms room;
        return part::run(team, kind, this, &room, all, &into, options.stop, options.grain,
                         options.workers);
    }

private:
    /// Of results, which come and go.
    struct typed_rooms {
        alignas(result) std::byte bytes[part::most_pieces * sizeof(result)];
    };
    using rooms = std::conditional_t<bare, no_result, typed_rooms>;

    /// The only iteration, in a region: nothing is to be given away, and what ends it is around it.
    bool run_alone(fork_stack& stack, result& into) const {
        // Taken anew each time: the iteration may leave a scope.
        const auto goes_on = [&stack]() noexcept {
            return stack.scope() == nullptr || !stack.scope()->over();
        };
        if (!goes_on()) {
            return false;
        }
        REGATTA_TRY {
            run_block(this, &into, 0, 1);
        }
        REGATTA_CATCH_ALL {
            if (stack.scope() == nullptr || !stack.scope()->tells_of_a_stop()) {
                REGATTA_RETHROW;
            }
        }
        stack.poll();
        return goes_on();
    }
    static const Body& body_of(const void* self) noexcept {
        return static_cast<const typed_loop*>(self)->body_;
    }
    Index advance(count n) const noexcept {
        return static_cast<Index>(
            static_cast<number>(static_cast<number>(begin_) + static_cast<number>(n)));
    }
    /// A piece of a loop without results has no room for one.
    static result& result_at(void* room) noexcept {
        if constexpr (bare) {
            static constinit result none;
            return none;
        } else {
            return *static_cast<result*>(room);
        }
    }
    static void run_block(const void* self, void* into, count i, count j) {
        const auto& loop = *static_cast<const typed_loop*>(self);
        loop.body_.run(result_at(into), loop.advance(i), loop.advance(j));
    }
    static void run_each(const void* self, void* into, loop_stretch<count>& left,
                         fork_stack& stack) {
        const auto& loop = *static_cast<const typed_loop*>(self);
        do {
            const Index at = loop.advance(left.next++); // First: what is left may be split.
            if constexpr (requires { loop.body_.run_one(at); }) {
                loop.body_.run_one(at);
            } else {
                loop.body_.run(result_at(into), at, loop.advance(left.next));
            }
            stack.poll();
        } while (!left.over());
    }
    static void make(void* room) noexcept { ::new (room) result{}; }
    static void join(const void* self, void* into, void* more) {
        body_of(self).join(result_at(into), std::move(result_at(more)));
    }
    static void destroy(void* one) noexcept { static_cast<result*>(one)->~result(); }
    static void run_piece(fork_frame& f) noexcept {
        rooms room;
        part::run_piece(f, &room);
    }

    static inline constinit fork_forecast forecast;
    static constexpr loop_kind<count> kind{
        &run_block,
        &run_each,
        bare ? nullptr : &make,
        bare ? nullptr : &join,
        bare ? nullptr : &destroy,
        sizeof(result),
        {bare ? &part::run_bare_piece : &run_piece, nullptr, nullptr},
        &forecast};

    const Body& body_;
    const Index begin_;
};

/// Runs a loop on a team. Throws the first exception of an iteration.
/// @returns whether all iterations ran. False also for a loop that was to end by its last one:
/// that has left out the loops within it.
template<class Index, class Body>
bool run_loop(fork_team& team, Index begin, Index end, const Body& body,
              typename Body::result& into, const fork_options& options) {
    using loop = typed_loop<Index, Body>;
    return loop(body, begin).run(team, loop::distance(begin, end), into, options);
}

} // namespace regatta::detail
