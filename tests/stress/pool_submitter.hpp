// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Tasks of all kinds offered in every way there is, and an account of what became of them.

#include "seeded.hpp"

#include <regatta/core/task_errors.hpp>
#include <regatta/core/task_options.hpp>
#include <regatta/pool/thread_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace library_test {

/// What became of the tasks of a round.
struct ledger {
    std::atomic<std::uint64_t> offered{0};
    std::atomic<std::uint64_t> ran{0};
    std::atomic<std::uint64_t> died{0}; ///< Destroyed unrun.
    std::atomic<std::uint64_t> ran_twice{0};
};

/// Writes into the ledger what becomes of the closure that holds it.
class entry {
public:
    explicit entry(ledger& l) noexcept : ledger_(&l) { ++l.offered; }
    entry(entry&& other) noexcept
        : ledger_(std::exchange(other.ledger_, nullptr))
        , ran_(other.ran_) {}
    entry& operator=(entry&&) = delete;
    ~entry() {
        if (ledger_ != nullptr && !ran_) {
            ++ledger_->died;
        }
    }
    void run() noexcept { ++(std::exchange(ran_, true) ? ledger_->ran_twice : ledger_->ran); }

private:
    ledger* ledger_;
    bool ran_ = false;
};

/// Offers tasks in every way there is, from outside and from tasks.
class submitter {
public:
    submitter(regatta::thread_pool& pool, ledger& l, std::stop_token stop, unsigned thread)
        : pool_(pool)
        , ledger_(l)
        , stop_(std::move(stop))
        , dice_(thread) {}

    /// @returns false once the pool is closed.
    bool offer() {
        try {
            offer_some();
        } catch (const regatta::task_rejected& error) {
            return error.why() != regatta::task_rejected::reason::closed;
        } catch (const std::system_error& error) {
            EXPECT_TRUE(error.code() == std::errc::resource_deadlock_would_occur ||
                        error.code() == std::errc::operation_canceled)
                << error.what();
        }
        return true;
    }

private:
    auto plain() {
        return [e = entry(ledger_)]() mutable { e.run(); };
    }
    auto large() {
        return [e = entry(ledger_), bytes = std::array<char, 150>{}]() mutable {
            e.run();
            static_cast<void>(bytes);
        };
    }
    auto huge() {
        return [e = entry(ledger_), bytes = std::array<char, 500>{}]() mutable {
            e.run();
            static_cast<void>(bytes);
        };
    }
    /// A task that offers others, and sometimes waits for them.
    auto parent() {
        // The submitter may be gone when it runs.
        return [&pool = pool_, &book = ledger_, stop = stop_, e = entry(ledger_),
                kind = dice_.roll(6), n = static_cast<unsigned>(dice_.roll(1 << 30))]() mutable {
            e.run();
            submitter inner(pool, book, stop, n);
            for (int i = kind; i >= 0; --i) {
                inner.offer_leaf();
            }
            try {
                if (kind == 1) {
                    static_cast<void>(pool.wait_for(std::chrono::microseconds(50)));
                } else if (kind == 2) {
                    pool.wait();
                }
            } catch (const std::system_error& error) {
                EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur) << error.what();
            }
        };
    }
    template<class F>
    std::vector<F> several(F first) {
        std::vector<F> some;
        some.push_back(std::move(first));
        for (int i = dice_.roll(90); i > 0; --i) {
            some.push_back(F(make_like(static_cast<F*>(nullptr))));
        }
        return some;
    }
    template<class F>
    F make_like(F*) {
        if constexpr (std::is_same_v<F, decltype(std::declval<submitter>().plain())>) {
            return plain();
        } else {
            return large();
        }
    }
    regatta::task_options options() {
        regatta::task_options o(static_cast<regatta::priority>(dice_.roll(3)));
        if (dice_.roll(2) == 0) {
            o.stop = stop_;
        }
        return o;
    }

    void offer_leaf() {
        try {
            switch (dice_.roll(5)) {
            case 0:
                return pool_.execute(plain());
            case 1:
                return pool_.execute(options(), large());
            case 2:
                static_cast<void>(pool_.try_execute(plain()));
                return;
            case 3:
                return pool_.submit(plain()).wait();
            default:
                return pool_.submit(options(), plain()).get();
            }
        } catch (const regatta::task_rejected&) {
        } catch (const std::system_error& error) {
            EXPECT_TRUE(error.code() == std::errc::resource_deadlock_would_occur ||
                        error.code() == std::errc::operation_canceled)
                << error.what();
        }
    }
    void offer_some() {
        switch (dice_.roll(14)) {
        case 0:
            return pool_.execute(large());
        case 1:
            return pool_.execute(huge());
        case 2:
            return pool_.execute(options(), plain());
        case 3:
            static_cast<void>(pool_.try_execute(large()));
            return;
        case 4:
            static_cast<void>(pool_.try_execute(options(), huge()));
            return;
        case 5:
            return pool_.execute_batch(several(plain()));
        case 6:
            return pool_.execute_batch(several(large()), options());
        case 7: {
            auto futures = pool_.submit_batch(several(plain()), options());
            if (dice_.roll(2) == 0) {
                futures.cancel();
            }
            return futures.get();
        }
        case 8: {
            auto f = pool_.submit(options(), plain());
            if (dice_.roll(2) == 0) {
                f.cancel();
            }
            return;
        }
        case 9:
            return pool_.submit(large()).get();
        case 10: {
            auto next = pool_.submit(plain()).then(pool_, [] {});
            return next.get();
        }
        case 11:
        case 12:
            return pool_.execute(parent());
        default:
            return pool_.execute(plain());
        }
    }

    regatta::thread_pool& pool_;
    ledger& ledger_;
    const std::stop_token stop_;
    dice dice_;
};

} // namespace library_test
