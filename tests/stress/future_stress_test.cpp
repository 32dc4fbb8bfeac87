// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "seeded.hpp"
#include "support/meeting.hpp"
#include "support/queue_executor.hpp"
#include "support/threads.hpp"

#include <regatta/core/future.hpp>
#include <regatta/core/std_future.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::dice;
using library_test::queue_executor;
using library_test::rounds;
using regatta::future;
using namespace std::chrono_literals;

/// What becomes of closures: each runs once or is destroyed unrun.
struct account {
    std::atomic<long> made{0};
    std::atomic<long> ran{0};
    std::atomic<long> unrun{0};
};

/// One entry in the account, carried by a closure.
class entry {
public:
    explicit entry(account& a) : account_(&a) { ++a.made; }
    entry(entry&& other) noexcept
        : account_(std::exchange(other.account_, nullptr))
        , has_run_(other.has_run_) {}
    ~entry() {
        if (account_ != nullptr) {
            ++(has_run_ ? account_->ran : account_->unrun);
        }
    }
    void run() {
        EXPECT_FALSE(has_run_);
        has_run_ = true;
    }

private:
    account* account_;
    bool has_run_ = false;
};

/// Futures that pass from hand to hand.
class exchange_place {
public:
    /// Puts one in and takes out what was there, which may be invalid.
    future<int> swap(int place, future<int> f) {
        const std::lock_guard lock(mutex_);
        std::swap(f, places_[static_cast<std::size_t>(place)]);
        return f;
    }
    static constexpr int size = 16;

private:
    std::mutex mutex_;
    std::array<future<int>, size> places_; ///< Guarded by the mutex.
};

struct oddity {};

/// Everything that a run has.
struct stage {
    account closures;
    exchange_place near; ///< Futures whose whole chain belongs to the first executor.
    std::atomic<long> refused{0};
    std::atomic<unsigned> threads{0};
    queue_executor first{2};
    queue_executor second{2};

    /// The end of a future, by chance: taken, waited for or dropped.
    void use_up(dice& d, future<int> f) {
        if (!f.valid()) {
            return;
        }
        try {
            switch (d.roll(5)) {
            case 0:
                static_cast<void>(f.cancel());
                break;
            case 1:
                static_cast<void>(f.wait_for(std::chrono::microseconds(d.roll(50))));
                break;
            case 2:
                EXPECT_GE(f.get(), 0);
                break;
            case 3:
                f.wait();
                EXPECT_GE(f.get(), 0);
                break;
            default:
                break;
            }
        } catch (const oddity&) {
        } catch (const std::system_error& e) {
            refused += e.code() == std::errc::resource_deadlock_would_occur ? 1 : 0;
        }
    }

    /// A task that may throw, or wait for its own children or for anybody else's task.
    auto task(dice& d) {
        return [this, e = entry(closures), kind = d.roll(12), place = d.roll(exchange_place::size),
                seed = threads++]() mutable {
            e.run();
            dice mine(seed);
            if (kind == 0) {
                throw oddity();
            }
            if (kind == 1) {
                use_up(mine, near.swap(place, {}));
            }
            if (kind == 2) {
                auto child = first.submit([inner = entry(closures)]() mutable {
                    inner.run();
                    return 1;
                });
                return child.get();
            }
            return kind;
        };
    }
    auto continuation(dice& d) {
        return [e = entry(closures), odd = d.roll(8) == 0](int n) mutable {
            e.run();
            if (odd) {
                throw oddity();
            }
            return n;
        };
    }

    void act(dice& d) {
        std::stop_source source;
        const int kind = d.roll(10);
        future<int> f = first.submit(task(d), kind == 0 ? source.get_token() : std::stop_token());
        for (int links = d.roll(3); links > 0; --links) {
            f = f.then(continuation(d));
        }
        if (kind == 0) {
            source.request_stop();
        }
        if (kind < 4) {
            return use_up(d, near.swap(d.roll(exchange_place::size), std::move(f)));
        }
        if (kind == 4) {
            first.drop_one();
        }
        if (kind == 5) {
            f = f.then(second, continuation(d)).then(continuation(d));
        }
        if (kind == 6) {
            std::future<int> other(f.then(second, continuation(d)).then(first, continuation(d)));
            try {
                EXPECT_GE(other.get(), 0);
            } catch (const oddity&) {
            } catch (const regatta::task_cancelled&) {
            }
            return;
        }
        use_up(d, std::move(f));
    }
};

} // namespace

class future_stress : public library_test::stress {};

TEST_F(future_stress, every_task_is_accounted_for) {
    const auto everything = std::make_unique<stage>();
    const int acts = rounds(40000);
    {
        std::vector<std::jthread> producers;
        for (unsigned p = 0; p < 3; ++p) {
            producers.emplace_back([&, p] {
                dice d(p);
                for (int i = 0; i < acts; ++i) {
                    everything->act(d);
                }
            });
        }
    }
    everything->first.stop();
    everything->second.stop();
    for (int place = 0; place < exchange_place::size; ++place) {
        const future<int> left = everything->near.swap(place, {});
        EXPECT_TRUE(!left.valid() || left.ready());
    }
    const account& closures = everything->closures;
    EXPECT_EQ(closures.made.load(), closures.ran.load() + closures.unrun.load());
    EXPECT_GT(closures.ran.load(), 0);
    EXPECT_GT(closures.unrun.load(), 0);
    EXPECT_EQ(everything->first.blocks().taken(), 0u);
    EXPECT_EQ(everything->second.blocks().taken(), 0u);
    std::printf("%ld closures, %ld ran, %ld waits refused\n", closures.made.load(),
                closures.ran.load(), everything->refused.load());
}

// One future, at once: run or dropped by one thread, waited for by another, cancelled or continued
// and left by a third.
TEST_F(future_stress, all_sides_meet_at_one_future) {
    const int all = rounds(20000);
    regatta::detail::block_cache blocks;
    account closures;
    std::optional<regatta::detail::future_job> job;
    future<int> f;
    bool continues = false; // Set before the threads meet, as the two above.
    std::atomic<bool> waited{false};
    library_test::barrier meeting(3);
    std::jthread runner([&] {
        dice d(1);
        for (int i = 0; i < all; ++i) {
            meeting.arrive_and_wait();
            if (d.roll(4) != 0) {
                (*job)();
            }
            job.reset();
            meeting.arrive_and_wait();
        }
    });
    std::jthread waiter([&] {
        for (int i = 0; i < all; ++i) {
            meeting.arrive_and_wait();
            if (!continues) {
                f.wait();
                waited = true;
            }
            meeting.arrive_and_wait();
        }
    });
    dice d(2);
    int wrong_rounds = 0;
    for (int i = 0; i < all; ++i) {
        auto made = regatta::make_future_task(
            blocks, {}, [e = entry(closures)]() mutable { return e.run(), 1; });
        f = std::move(made.first);
        job.emplace(std::move(made.second));
        continues = d.roll(2) == 0;
        waited = false;
        meeting.arrive_and_wait();
        if (continues) {
            auto next = f.then([e = entry(closures)](int n) mutable { return e.run(), n; });
            if (d.roll(2) == 0) {
                static_cast<void>(next.cancel());
            }
        } else {
            if (d.roll(2) == 0) {
                static_cast<void>(f.cancel());
            }
            library_test::await([&] { return waited.load(); });
            f = {};
        }
        meeting.arrive_and_wait();
        const bool even = closures.made.load() == closures.ran.load() + closures.unrun.load();
        wrong_rounds += even && blocks.taken() == 0 ? 0 : 1;
    }
    EXPECT_EQ(wrong_rounds, 0);
}
