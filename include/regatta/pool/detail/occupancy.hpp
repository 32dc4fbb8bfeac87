// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which of many queues may hold something, without a look at each of them.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/sync/atomics.hpp>

#include <bit>
#include <cstdint>
#include <memory>

namespace regatta::detail {

/// A hierarchical bitmap of places that may be occupied. A bit of the lowest level stands for a
/// place, a bit of each level above for a word of the level below.
///
/// A thread that fills a place calls `set`. No thread tells the bitmap that a place is empty again:
/// a thread that looks there and finds nothing calls `clear_unless`. So a place that is filled and
/// emptied all the time costs its owner one load each time.
///
/// A word has two bits for each place: *on*, and *in doubt* while one thread clears the former and
/// checks the place once more. Both count as set. So nobody overlooks a place while it is checked.
///
/// Threads: any.
/// Blocks: never.
/// Order: a place is filled, and checked, by seq_cst operations. Everything here that decides is
/// seq_cst, too: `next` stands for a look at every place.
/// Cost: `set` is one load a level while the bit is set; `next` is one to three loads a level.
/// There is one level up to `Width` places, two up to `Width` squared.
///
/// I1: a place was filled, then `set` returned. Until it is empty, each of its bits is on or in
///     doubt.
/// I2: at most one thread has a bit in doubt, and only that thread ends it.
/// @tparam Width the places of a word.
template<class Atomics, unsigned Width = 32>
class basic_occupancy {
    static_assert(Width >= 2 && Width <= 32);

public:
    /// All places are empty.
    REGATTA_APART explicit basic_occupancy(unsigned places) : places_(places) {
        unsigned words = 0;
        for (unsigned count = places; levels_ == 0 || count > 1; ++levels_) {
            first_[levels_] = words;
            count = (count + Width - 1) / Width;
            words += count;
        }
        first_[levels_] = words;
        lines_ = std::make_unique<line[]>(words);
    }
    basic_occupancy(const basic_occupancy&) = delete;
    basic_occupancy& operator=(const basic_occupancy&) = delete;

    unsigned places() const noexcept { return places_; }

    /// The caller has filled this place.
    void set(unsigned place) noexcept {
        if (!is_on(lines_[place / Width].bits, place)) [[unlikely]] {
            set(0, place);
        }
        if (levels_ > 1) [[unlikely]] {
            set_above(place);
        }
    }

    /// The first place from `from` on that may be filled, or the number of places.
    REGATTA_APART unsigned next(unsigned from) const noexcept {
        unsigned level = 0;
        for (unsigned at = from; first_[level] + at / Width < first_[level + 1];) {
            // seq_cst: partners are the load and the read-modify-write in set().
            const std::uint64_t w = word_of(level, at).load(std::memory_order_seq_cst);
            const std::uint64_t bits = ((w | w >> Width) & all) >> at % Width;
            if (bits != 0) {
                at += static_cast<unsigned>(std::countr_zero(bits));
                if (level == 0) {
                    return at;
                }
                --level;
                at *= Width;
            } else if (++level == levels_) {
                break;
            } else {
                at = at / Width + 1;
            }
        }
        return places_;
    }

    /// The caller has found nothing at this place.
    /// @param filled tells whether the place is filled after all, by a seq_cst load.
    template<class Filled>
    void clear_unless(unsigned place, Filled&& filled) noexcept {
        bool empty = clear(0, place, filled);
        for (unsigned level = 1; empty && level < levels_; ++level) {
            const word& below = word_of(level - 1, place);
            place /= Width;
            // seq_cst: partner is the read-modify-write in set(), which comes before the load of
            // the level above.
            empty = clear(level, place, [&] { return below.load(std::memory_order_seq_cst) != 0; });
        }
    }

private:
    using word = typename Atomics::template atomic<std::uint64_t>;

    struct alignas(destructive_alignment) line {
        /// Of a place, bit i: on; bit Width + i: in doubt. Written by threads that fill places and
        /// by those that find them empty, read by both.
        word bits{0};
    };

    static constexpr unsigned most_levels = 32;
    static constexpr std::uint64_t all = (std::uint64_t{1} << Width) - 1;
    static constexpr std::uint64_t on(unsigned place) noexcept {
        return std::uint64_t{1} << place % Width;
    }
    static constexpr std::uint64_t in_doubt(unsigned place) noexcept { return on(place) << Width; }

    word& word_of(unsigned level, unsigned place) const noexcept {
        return lines_[first_[level] + place / Width].bits;
    }

    static bool is_on(const word& w, unsigned place) noexcept {
        // seq_cst: partner is the exchange in clear(). Either this thread sees that the bit is off,
        // or the other one sees that the place is filled.
        return (w.load(std::memory_order_seq_cst) >> place % Width & 1) != 0;
    }
    REGATTA_RARE void set(unsigned level, unsigned place) noexcept {
        // seq_cst: a thread that calls next() later in this order sees the bit.
        word_of(level, place).fetch_or(on(place), std::memory_order_seq_cst);
    }
    /// Looks at these bits even if the lowest one was on: the thread that has set that one may not
    /// have got here yet.
    REGATTA_APART void set_above(unsigned place) noexcept {
        for (unsigned level = 1; level < levels_; ++level) {
            place /= Width;
            if (!is_on(word_of(level, place), place)) [[unlikely]] {
                set(level, place);
            }
        }
    }

    /// Clears one bit. @returns whether that left its word empty.
    template<class Filled>
    bool clear(unsigned level, unsigned place, Filled&& filled) noexcept {
        word& w = word_of(level, place);
        // relaxed: the exchange checks it.
        std::uint64_t seen = w.load(std::memory_order_relaxed);
        do {
            if ((seen & (on(place) | in_doubt(place))) != on(place)) {
                return false; // It is off, or another thread is about to decide (I2).
            }
            // seq_cst: partner is the load in set().
        } while (!w.compare_exchange_weak(seen, seen ^ (on(place) | in_doubt(place)),
                                          std::memory_order_seq_cst, std::memory_order_relaxed));
        if (filled()) {
            // relaxed, both: a thread that sees the second sees the first, which comes before it
            // in the order of changes of this word.
            w.fetch_or(on(place), std::memory_order_relaxed);
        }
        return (w.fetch_and(~in_doubt(place), std::memory_order_relaxed) & ~in_doubt(place)) == 0;
    }

    // First what every `set` reads.
    const unsigned places_;
    unsigned levels_ = 0;
    std::unique_ptr<line[]> lines_;
    /// The number of the first word of each level, and one more for the end.
    unsigned first_[most_levels + 1]{};
};

} // namespace regatta::detail
