// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Code of one's own that `regatta race` and `regatta scale` run under every scheme.

#include <regatta/base/config.hpp>
#include <regatta/race/detail/entry_text.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace regatta {

/// The choices of the command line that concern the workload.
struct workload_settings {
    std::size_t size = 0;   ///< `--size`
    std::uint64_t seed = 1; ///< `--seed`: of the input data.
};

/// The sizes that a workload takes, and the one that it has unless told otherwise.
struct workload_sizes {
    std::size_t min = 1;
    std::size_t max = 1'000'000'000;
    std::size_t usual = 1000;
};

/// The work of a run of all items. Divided by the run's time it is the throughput.
struct workload_amount {
    double value = 0;
    const char* unit = "items"; ///< Must outlive the program: a literal.
};

/// The functions that a workload's file offers the command. They are plain ones, so that both may
/// be built by different compilers, with different flags.
///
/// Threads: `run` by any number at once, for different items; the others by one at a time.
/// Failure: a function that returns false, or null, has written why.
struct workload_entry {
    using text = detail::entry_text;
    /// The numbers that follow from the settings.
    struct plan {
        std::size_t items;
        std::size_t shared_bytes;
        workload_amount amount;
    };

    /// The form of this struct.
    static constexpr std::uint32_t current_version = 1;

    std::uint32_t version;
    bool takes_settings; ///< Otherwise it has no input that depends on a seed.
    workload_sizes sizes;
    std::size_t result_bytes; ///< Of one item, 0: items leave no result.
    bool (*make_plan)(const workload_settings*, plan*, text*) noexcept;
    void* (*make)(const workload_settings*, std::byte* shared, std::size_t bytes, text*) noexcept;
    bool (*fill)(void* workload, text*) noexcept;
    bool (*run)(void* workload, std::size_t item, void* result, text*) noexcept;
    bool (*reset)(void* workload, text*) noexcept;
    bool (*verify)(void* workload, const void* results, std::size_t items, text*) noexcept;
    void (*end)(void* workload) noexcept;
};

namespace detail {

/// The functions of `workload_entry` for a type.
template<class Workload>
class workload_adapter {
public:
    using result = decltype(std::declval<Workload&>().run(std::size_t{}));
    static constexpr bool has_result = !std::is_void_v<result>;
    static constexpr bool takes_shared = requires(const workload_settings& s) {
        { Workload::shared_bytes(s) } -> std::convertible_to<std::size_t>;
    };
    /// An aggregate that begins with them takes them, too.
    static constexpr bool takes_settings = takes_shared || requires(const workload_settings& s) {
        Workload{s};
    };

    static constexpr workload_entry entry() noexcept {
        workload_entry made{};
        made.version = workload_entry::current_version;
        made.takes_settings = takes_settings;
        if constexpr (requires { workload_sizes{Workload::sizes}; }) {
            made.sizes = Workload::sizes;
        } else {
            static_assert(
                !requires { Workload::sizes; }, "sizes is a workload_sizes");
        }
        static_assert(
            takes_shared || !requires { &Workload::shared_bytes; },
            "shared_bytes is static and takes const workload_settings&");
        if constexpr (has_result) {
            static_assert(std::is_trivially_copyable_v<result> && !std::is_reference_v<result> &&
                              !std::is_pointer_v<result>,
                          "run() returns a value that is copied byte by byte: its processes share "
                          "memory, not pointers");
            static_assert(alignof(result) <= 64, "results are aligned to 64 bytes at most");
            made.result_bytes = sizeof(result);
        }
        made.make_plan = make_plan;
        made.make = make;
        made.fill = fill;
        made.run = run;
        made.reset = reset;
        made.verify = verify;
        made.end = [](void* self) noexcept { delete static_cast<workload_adapter*>(self); };
        return made;
    }

    explicit workload_adapter(const workload_settings& settings, std::byte* shared,
                              std::size_t bytes)
        : own_(construct(settings, {shared, bytes})) {}

private:
    using settings_ptr = const workload_settings*;
    using text = workload_entry::text;
    static constexpr bool has_verify = requires { &Workload::verify; };

    static Workload construct(const workload_settings& settings, std::span<std::byte> shared) {
        if constexpr (takes_shared) {
            return Workload(settings, shared);
        } else if constexpr (takes_settings) {
            return Workload{settings};
        } else {
            return Workload();
        }
    }
    static Workload& of(void* self) noexcept { return static_cast<workload_adapter*>(self)->own_; }

    static bool make_plan(settings_ptr s, workload_entry::plan* plan, text* why) noexcept {
        return told(why, [&] {
            plan->items = s->size;
            if constexpr (requires { Workload::items(*s); }) {
                plan->items = Workload::items(*s);
            } else {
                static_assert(
                    !requires { &Workload::items; },
                    "items is static and takes const workload_settings&");
            }
            plan->shared_bytes = 0;
            if constexpr (takes_shared) {
                plan->shared_bytes = Workload::shared_bytes(*s);
            }
            plan->amount = {static_cast<double>(plan->items), "items"};
            if constexpr (requires { workload_amount{Workload::amount(*s)}; }) {
                plan->amount = Workload::amount(*s);
            } else {
                static_assert(
                    !requires { &Workload::amount; },
                    "amount is static, takes const workload_settings& and returns a "
                    "workload_amount");
            }
            return true;
        });
    }
    static void* make(settings_ptr s, std::byte* shared, std::size_t bytes, text* why) noexcept {
        return told(why, [&]() -> void* { return new workload_adapter(*s, shared, bytes); });
    }
    static bool fill(void* self, text* why) noexcept {
        return told(why, [&] {
            if constexpr (requires { of(self).fill(); }) {
                of(self).fill();
            } else {
                static_assert(
                    !requires { &Workload::fill; }, "fill takes no argument");
            }
            return true;
        });
    }
    static bool run(void* self, std::size_t item, void* to, text* why) noexcept {
        return told(why, [&] {
            if constexpr (has_result) {
                ::new (to) result(of(self).run(item));
            } else {
                of(self).run(item);
            }
            return true;
        });
    }
    static bool reset(void* self, text* why) noexcept {
        return told(why, [&] {
            if constexpr (requires { of(self).reset(); }) {
                of(self).reset();
            } else {
                static_assert(
                    !requires { &Workload::reset; }, "reset takes no argument");
            }
            return true;
        });
    }
    static bool verify(void* self, const void* results, std::size_t items, text* why) noexcept {
        return told(why, [&] {
            const std::string wrong = check(self, results, items);
            tell(*why, wrong);
            return wrong.empty();
        });
    }

    /// @returns what is wrong; empty: nothing.
    static std::string check(void* self, [[maybe_unused]] const void* results,
                             [[maybe_unused]] std::size_t items) {
        Workload& own = of(self);
        if constexpr (requires { own.verify(); }) {
            return own.verify();
        } else if constexpr (has_result) {
            const std::span<const result> all(static_cast<const result*>(results), items);
            if constexpr (requires { own.verify(all); }) {
                return own.verify(all);
            } else {
                static_assert(!has_verify, "verify takes nothing or a std::span<const R>");
                return static_cast<workload_adapter*>(self)->compare(all);
            }
        } else {
            static_assert(!has_verify, "verify takes nothing, as there are no results");
            return {};
        }
    }

    /// Compares the results with those of a run here, of one item after the other.
    std::string compare(std::span<const result> found) {
        if (expected_.size() != found.size()) {
            std::vector<room> expected(found.size());
            for (std::size_t item = 0; item < found.size(); ++item) {
                workload_entry::text why{};
                if (!run(this, item, expected[item].bytes, &why)) {
                    return "item " + std::to_string(item) +
                           ", run again to compare with, threw: " + why.letters;
                }
            }
            expected_ = std::move(expected);
        }
        for (std::size_t item = 0; item < found.size(); ++item) {
            const auto& wanted = *std::launder(reinterpret_cast<result*>(expected_[item].bytes));
            if (!same(found[item], wanted)) {
                return "item " + std::to_string(item) + describe(found[item], wanted);
            }
        }
        return {};
    }
    template<class R>
    bool same(const R& found, const R& expected) {
        if constexpr (requires { own_.same(found, expected); }) {
            return own_.same(found, expected);
        } else {
            static_assert(
                !requires { &Workload::same; }, "same takes two const R&");
            if constexpr (std::is_class_v<R> && std::equality_comparable<R>) {
                return found == expected;
            } else {
                static_assert(
                    std::has_unique_object_representations_v<R> || std::is_floating_point_v<R>,
                    "give the result of run() an operator==, or the workload a same(a, b) "
                    "or a verify(results)");
                return std::memcmp(&found, &expected, value_bytes<R>()) == 0;
            }
        }
    }
    /// Without the padding of a `long double`.
    template<class R>
    static constexpr std::size_t value_bytes() noexcept {
        return std::is_same_v<R, long double> && sizeof(R) > 10 ? 10 : sizeof(R);
    }
    template<class R>
    static std::string describe(const R& found, const R& expected) {
        if constexpr (std::is_floating_point_v<R>) {
            char numbers[120];
            std::snprintf(numbers, sizeof numbers, " is %.*Lg instead of %.*Lg",
                          std::numeric_limits<R>::max_digits10, static_cast<long double>(found),
                          std::numeric_limits<R>::max_digits10, static_cast<long double>(expected));
            return std::string(numbers) + "; same() may allow a difference";
        } else if constexpr (std::is_integral_v<R> && !std::is_same_v<R, bool> &&
                             sizeof(R) <= sizeof(long long)) {
            return " is " + std::to_string(found) + " instead of " + std::to_string(expected);
        } else {
            return " has another result than when it runs alone";
        }
    }

    struct none {};
    using stored = std::conditional_t<has_result, result, none>;
    struct room {
        alignas(stored) std::byte bytes[sizeof(stored)];
    };

    Workload own_;
    std::vector<room> expected_{}; ///< Computed when first needed.
};

} // namespace detail

/// A workload of one's own: independent items, which the command has run by threads, pools and
/// processes, each item once.
///
/// ```cpp
/// struct roots { // roots.cpp
///     double run(std::size_t item) const;
/// };
/// extern "C" const regatta::workload_entry* regatta_workload() {
///     return regatta::workload_entry_of<roots>();
/// }
/// ```
///
/// `g++ -std=c++20 -O2 -shared -fPIC roots.cpp -o roots.so && regatta race ./roots.so`
///
/// Members of `Workload`; all but `run` are optional:
///
/// - `R run(std::size_t item)` computes one item. `R` is trivially copyable, or `void`. Each run
///   calls it again: it must not depend on earlier calls.
/// - `static constexpr workload_sizes sizes`: what `--size` may be.
/// - A constructor from `const workload_settings&` makes the input from `size` and `seed` alone.
///   Each process makes its own. Without it the default constructor is called.
/// - `static std::size_t items(const workload_settings&)`: how many. Otherwise as many as the size.
/// - `static workload_amount amount(const workload_settings&)`. Otherwise the number of items.
/// - `bool same(const R& found, const R& expected)` compares a result with that of a serial run.
///   Otherwise numbers are compared bit by bit, and classes with their `==`, if they have one.
/// - `std::string verify(std::span<const R> results)` checks all; empty: right. Otherwise they are
///   compared with a serial run, which is made once.
/// - `static std::size_t shared_bytes(const workload_settings&)`: memory that all processes share,
///   zeros, aligned to 64 bytes. The constructor is then called with
///   `(const workload_settings&, std::span<std::byte>)`.
/// - `void fill()` writes the input there, once, in one process.
/// - `void reset()` spoils the output there, before each run. Several processes may call it at
///   once.
/// - `std::string verify()` checks the output there. Where `R` is `void` and there is no `verify`,
///   the race checks only that each item ran once.
///
/// Threads: `run` by any number at once, for different items; the others by one.
/// Failure: an exception of `run`, `reset` or `verify` fails the scheme; the report has its text.
/// One of another member ends the race before it begins.
template<class Workload>
REGATTA_HIDDEN const workload_entry* workload_entry_of() noexcept {
    static constexpr workload_entry entry = detail::workload_adapter<Workload>::entry();
    return &entry;
}

} // namespace regatta
