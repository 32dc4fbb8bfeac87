// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A scheme of one's own, such as one's own thread pool, that `regatta race` and `regatta scale`
/// measure beside all others.

#include <regatta/base/config.hpp>
#include <regatta/race/detail/entry_text.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace regatta {

/// The items of a run, as a scheme of one's own gets them. Three words, to be copied at will; valid
/// until its `run` returns.
///
/// ```cpp
/// for (const std::size_t item : items) {
///     pool.post([items, item] { items(item); });
/// }
/// ```
class scheme_items {
public:
    /// The command's functions, plain ones, so that both may be built by different compilers.
    struct functions {
        void (*run)(const void* of, std::size_t item) noexcept;
        void (*hand_over)(const void* of, std::size_t item) noexcept;
    };

    scheme_items(const functions& call, const void* of, std::size_t count) noexcept
        : call_(&call)
        , of_(of)
        , size_(count) {}

    /// How many there are: their numbers are 0 to `size() - 1`.
    std::size_t size() const noexcept { return size_; }

    /// Computes an item on the calling thread. Each item once; the calling threads count as the
    /// scheme's workers.
    ///
    /// Threads: any, at once for different items.
    /// Blocks: as long as the item takes.
    /// Failure: none; what an item throws goes to the report.
    void operator()(std::size_t item) const noexcept { call_->run(of_, item); }

    /// The numbers in their order.
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = std::size_t;
        using difference_type = std::ptrdiff_t;
        using pointer = const std::size_t*;
        using reference = std::size_t;

        iterator() = default;
        iterator(const scheme_items& items, std::size_t item) noexcept
            : items_(&items)
            , item_(item) {}

        /// Blocks: where items are offered at a rate, until this one is due.
        std::size_t operator*() const noexcept {
            items_->call_->hand_over(items_->of_, item_);
            return item_;
        }
        iterator& operator++() noexcept {
            ++item_;
            return *this;
        }
        iterator operator++(int) noexcept { return iterator(*items_, item_++); }
        bool operator==(const iterator& other) const noexcept { return item_ == other.item_; }

    private:
        const scheme_items* items_ = nullptr;
        std::size_t item_ = 0;
    };

    iterator begin() const noexcept { return iterator(*this, 0); }
    iterator end() const noexcept { return iterator(*this, size_); }

private:
    const functions* call_;
    const void* of_;
    std::size_t size_;
};

/// The functions that a scheme's file offers the command.
///
/// Threads: one at a time.
/// Failure: a function that returns false, or null, has written why.
struct scheme_entry {
    using text = detail::entry_text;

    /// The form of this struct.
    static constexpr std::uint32_t current_version = 1;

    std::uint32_t version;
    bool one_by_one;
    void* (*make)(unsigned workers, text*) noexcept;
    bool (*run)(void* scheme, const scheme_items*, text*) noexcept;
    void (*end)(void* scheme) noexcept;
};

namespace detail {

/// The functions of `scheme_entry` for a type.
template<class Scheme>
class scheme_adapter {
public:
    static constexpr scheme_entry entry() noexcept {
        scheme_entry made{};
        made.version = scheme_entry::current_version;
        if constexpr (requires { bool{Scheme::one_by_one}; }) {
            made.one_by_one = Scheme::one_by_one;
        } else {
            static_assert(
                !requires { Scheme::one_by_one; }, "one_by_one is a static constexpr bool");
        }
        made.make = make;
        made.run = run;
        made.end = [](void* self) noexcept { delete static_cast<Scheme*>(self); };
        return made;
    }

private:
    static void* make(unsigned workers, entry_text* why) noexcept {
        return told(why, [&]() -> void* { return new Scheme(workers); });
    }
    static bool run(void* self, const scheme_items* items, entry_text* why) noexcept {
        return told(why, [&] {
            static_cast<Scheme*>(self)->run(*items);
            return true;
        });
    }
};

} // namespace detail

/// A scheme of one's own: what hands the items of a workload to threads.
///
/// ```cpp
/// struct mine { // mine.cpp
///     explicit mine(unsigned workers) : pool(workers) {}
///     void run(const regatta::scheme_items& items);
///     my_pool pool;
/// };
/// extern "C" const regatta::scheme_entry* regatta_scheme() {
///     return regatta::scheme_entry_of<mine>();
/// }
/// ```
///
/// `g++ -std=c++20 -O2 -shared -fPIC mine.cpp -o mine.so -pthread`
/// `regatta race matmul --schemes serial,std_thread,tbb,./mine.so`
///
/// Members of `Scheme`:
///
/// - A constructor from the number of workers starts them. The race makes the scheme anew for each
///   run and times neither this nor the destructor.
/// - `void run(const scheme_items& items)` computes each item once, on whatever threads. It returns
///   when all are done. Timed. With `--reuse` it is called again and again.
/// - `static constexpr bool one_by_one = true` if `run` iterates over the items and hands each over
///   at once. Then the scheme takes part in races at a rate (`--rate`).
/// - The destructor ends the workers: none may touch an item afterwards.
///
/// Threads: the members are called by one, not always the same.
/// Failure: an exception of the constructor or of `run` fails the scheme; the report has its text.
/// So does an item that did not run, or ran twice.
template<class Scheme>
REGATTA_HIDDEN const scheme_entry* scheme_entry_of() noexcept {
    static constexpr scheme_entry entry = detail::scheme_adapter<Scheme>::entry();
    return &entry;
}

} // namespace regatta
