// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Values under ids that are never reused.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// Reusable places for values; each use has a new id. An id is the number of the place and its
/// generation: how often the place was used before. A place whose generations are used up stays
/// empty.
///
/// Threads: as a plain value. A value does not move in memory.
/// Failure: only `take` can fail.
/// Cost: O(1) per operation. Memory is kept until destruction.
/// @tparam T default constructible. The user fills and clears the value in a place.
/// @tparam Generation an unsigned type of at most 32 bits.
template<class T, class Generation = std::uint32_t>
class id_table {
    static_assert(std::is_unsigned_v<Generation> && sizeof(Generation) <= 4);

public:
    using number = std::uint32_t;

    /// The number of the place that the next `take` returns.
    number next() const noexcept {
        return free_ != nowhere ? free_ : static_cast<number>(places_.size());
    }

    /// Takes an empty place. If it throws `std::bad_alloc`, nothing has changed.
    number take() {
        if (free_ == nowhere) {
            places_.emplace_back();
            places_.back().used = true;
            return static_cast<number>(places_.size() - 1);
        }
        place& p = places_[free_];
        p.used = true;
        return std::exchange(free_, p.next_free);
    }

    /// Empties a used place; its id becomes invalid.
    void release(number n) noexcept {
        place& p = places_[n];
        p.used = false;
        if (++p.generation != 0) {
            p.next_free = std::exchange(free_, n);
        }
    }

    /// The number of the place with this id, or `nowhere`.
    number find(std::uint64_t id) const noexcept {
        const auto n = static_cast<number>(id);
        return used(n) && id_of(n) == id ? n : nowhere;
    }

    /// The id of a used place; never 0.
    std::uint64_t id_of(number n) const noexcept {
        return std::uint64_t{places_[n].generation} << 32 | n;
    }

    T& operator[](number n) noexcept { return places_[n].value; }
    const T& operator[](number n) const noexcept { return places_[n].value; }

    /// The number of places, used and empty; all place numbers are below it.
    std::size_t size() const noexcept { return places_.size(); }
    bool used(number n) const noexcept { return n < places_.size() && places_[n].used; }

    static constexpr number nowhere = std::numeric_limits<number>::max();

private:
    struct place {
        T value{};
        Generation generation = 1;
        number next_free = nowhere;
        bool used = false;
    };

    std::deque<place> places_;
    number free_ = nowhere; ///< Head of the list of empty places.
};

} // namespace regatta::detail
