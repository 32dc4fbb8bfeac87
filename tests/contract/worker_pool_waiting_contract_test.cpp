// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of worker_pool promises about waiting, waking and ending; each test quotes
// the sentence that it checks.

#include "messages.hpp"
#include "support/door.hpp"
#include "support/threads.hpp"

#include <regatta/bus/async_bus.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::door;
using library_test::observed_thread;
using library_test::rounds;
using library_test::row;
using regatta::admission_class;

using pool_type = regatta::worker_pool<row>;

/// A pool whose workers have each announced themselves as an observed thread.
class observed_pool {
public:
    observed_pool(unsigned threads, std::function<void(row&)> handler)
        : seen_(threads)
        , pool_({.threads = threads}) {
        pool_.on<row>([this, handler](row& r, unsigned worker) {
            if (r.index < 0) {
                seen_[worker].announce();
                ++announced_;
                await([&] { return announced_.load() == seen_.size(); }); // One each.
            } else {
                handler(r);
            }
        });
        pool_.start();
        for (unsigned i = 0; i < threads; ++i) {
            pool_.submit(row{-1});
        }
        pool_.drain();
    }
    pool_type& pool() { return pool_; }
    void await_sleep() const {
        std::for_each(seen_.begin(), seen_.end(), [](const auto& w) { w.await_sleep(); });
    }
    const std::vector<observed_thread>& workers() const { return seen_; }

private:
    std::vector<observed_thread> seen_;
    std::atomic<std::size_t> announced_{0};
    pool_type pool_;
};

} // namespace

// "An idle pool sleeps", and every submit ends the sleep of a worker.
TEST(worker_pool, no_wake_up_of_a_sleeping_worker_is_lost) {
    const library_test::time_limit limit("a worker that is woken for each message");
    for (const unsigned threads : {1u, 3u}) {
        std::atomic<int> answered{0};
        observed_pool observed(threads, [&](row& r) { answered.store(r.index); });
        for (int i = 1; i <= rounds(1000); ++i) {
            if (i % 4 == 0) { // Otherwise at any moment on their way to sleep.
                observed.await_sleep();
            }
            EXPECT_TRUE(i % 2 == 0 ? observed.pool().submit(row{i})
                                   : observed.pool().try_submit(row{i}, admission_class::low));
            await([&] { return answered.load() == i; });
        }
    }
}

// "An idle pool sleeps": it uses no CPU time.
TEST(worker_pool, an_idle_one_uses_no_cpu_time) {
    observed_pool idle(2, [](row&) {});
    const auto parked = [&] {
        std::uint64_t times = 0;
        for (const auto& w : idle.pool().stats().workers) {
            times += w.parked;
        }
        return times;
    };
    // As long as another pool needs for some thousand messages.
    std::atomic<int> got{0};
    pool_type busy({.threads = 1});
    busy.on<row>([&](row&) { ++got; }).start();
    const auto work = [&] {
        got = 0;
        for (int i = 1; i <= rounds(2000); ++i) {
            busy.submit(row{i});
            await([&] { return got.load() == i; });
        }
    };
    await([&] {
        const auto before = parked();
        for (const auto& worker : idle.workers()) {
            EXPECT_GE(worker.cpu_time(), 0);
            worker.await_rest(work);
        }
        return parked() == before;
    });
}

// "Stops the workers from taking messages until `resume`; the pool still accepts them. On return no
// handler runs".
TEST(worker_pool, pause_waits_for_handlers_and_holds_messages_back) {
    int plain = 0; // Not atomic: pause and drain order it.
    std::atomic<int> running{0};
    std::atomic<int> entered{0};
    pool_type pool({.threads = 1});
    pool.on<row>([&](row&) {
        ++running;
        ++entered;
        for (int i = 0; i < 5; ++i) {
            std::this_thread::yield();
        }
        ++plain;
        --running;
    });
    pool.start();
    for (int i = 0; i < rounds(300); ++i) {
        pool.submit(row{});
        pool.submit(row{});
        if (i % 2 == 0) { // When a handler runs, or has run.
            await([&] { return entered.load() > 4 * i; });
        }
        pool.pause();
        EXPECT_EQ(running.load(), 0);
        const int seen = plain;
        EXPECT_TRUE(pool.submit(row{}));
        EXPECT_TRUE(pool.try_submit(row{}));
        std::this_thread::yield();
        EXPECT_EQ(plain, seen);
        plain = seen; // A data race if a handler ran.
        EXPECT_GE(pool.stats().queued, 2u);
        pool.resume();
        pool.drain();
        EXPECT_EQ(plain, 4 * (i + 1));
    }
}

// "In a paused pool it returns only after `resume`".
TEST(worker_pool, drain_of_a_paused_pool_ends_with_resume) {
    const library_test::time_limit limit("drain to return once resumed");
    std::atomic<int> calls{0};
    std::atomic<bool> resumed{false};
    pool_type pool({.threads = 2});
    pool.on<row>([&](row&) { ++calls; });
    pool.pause(); // A pool may be paused before it starts.
    pool.start();
    for (int i = 0; i < 10; ++i) {
        pool.submit(row{i});
    }
    observed_thread waiting;
    std::thread drainer([&] {
        waiting.announce();
        pool.drain();
        EXPECT_TRUE(resumed.load());
        EXPECT_EQ(calls.load(), 10);
    });
    waiting.await_sleep();
    EXPECT_EQ(calls.load(), 0);
    resumed = true;
    pool.resume();
    drainer.join();
}

// "Waits until every message submitted before the call has been handled": its handler's end, and
// not only its being taken.
TEST(worker_pool, drain_waits_for_the_end_of_handlers) {
    const library_test::time_limit limit("drain to return once the handlers have ended");
    const unsigned threads = 3;
    std::vector<int> plain(64, 0); // Not atomic: drain orders it.
    pool_type pool({.threads = threads});
    pool.on<row>([&](row& r) {
        for (int i = 0; i < 3; ++i) {
            std::this_thread::yield();
        }
        ++plain[static_cast<std::size_t>(r.index)];
    });
    pool.start();
    for (int i = 1; i <= rounds(50); ++i) {
        for (int j = 0; j < 64; ++j) {
            pool.submit(row{j});
        }
        pool.drain();
        EXPECT_EQ(plain, std::vector<int>(64, i));
        EXPECT_EQ(pool.stats().handled, 64u * static_cast<unsigned>(i));
    }
}

// "Refuses further messages … handles those accepted, and ends the workers."
TEST(worker_pool, close_handles_what_was_accepted_and_refuses_the_rest) {
    int calls = 0;
    pool_type pool({.threads = 1});
    pool.on<row>([&](row&) { ++calls; }).start();
    for (int i = 0; i < 500; ++i) {
        EXPECT_TRUE(pool.submit(row{i}));
    }
    pool.close();
    EXPECT_EQ(calls, 500);
    EXPECT_FALSE(pool.submit(row{}));
    EXPECT_FALSE(pool.submit(row{}, admission_class::high));
    EXPECT_FALSE(pool.try_submit(row{}));
    EXPECT_FALSE(pool.try_submit(row{}, admission_class::high));
    EXPECT_EQ(pool.stats().refused, 4u);
    pool.close();
    pool.pause();
    pool.resume();
    pool.drain();
    EXPECT_EQ(calls, 500);
}

// "It returns when all is ended": also a second call, beside one that destroys messages which no
// handler got.
TEST(worker_pool, a_second_close_waits_for_the_messages_that_the_first_destroys) {
    struct last_words {
        door* d;
        std::atomic<bool>* destroyed;
        last_words(door& passed, std::atomic<bool>& told) noexcept : d(&passed), destroyed(&told) {}
        last_words(last_words&& other) noexcept
            : d(std::exchange(other.d, nullptr))
            , destroyed(other.destroyed) {}
        last_words& operator=(last_words&&) = delete;
        ~last_words() {
            if (d != nullptr) {
                d->pass();
                *destroyed = true;
            }
        }
    };
    const library_test::time_limit limit("two calls of close");
    door d;
    std::atomic<bool> destroyed{false};
    regatta::worker_pool<last_words> pool; // Not started.
    pool.on<last_words>([](last_words&) {});
    EXPECT_TRUE(pool.try_submit(last_words(d, destroyed)));
    std::thread first([&] { pool.close(); });
    d.await_inside(1);
    observed_thread seen;
    std::thread second([&] {
        seen.announce();
        pool.close();
        EXPECT_TRUE(destroyed);
    });
    seen.await_rest([] {});
    d.open();
    first.join();
    second.join();
}

// The same for a message that its submitter is still moving in.
TEST(worker_pool, close_waits_for_a_message_on_its_way_in) {
    const library_test::time_limit limit("close to return once the message is in");
    using library_test::slow_message;
    slow_message::door door;
    std::atomic<int> calls{0};
    regatta::worker_pool<slow_message> pool({.threads = 2});
    pool.on<slow_message>([&](slow_message&) { ++calls; }).start();
    std::thread slow([&] { EXPECT_TRUE(pool.submit(slow_message(door))); });
    await([&] { return door.reached.load(); });
    std::atomic<int> accepted{1};
    std::thread opener([&] {
        while (pool.submit(slow_message())) { // Until it is being closed.
            ++accepted;
        }
        for (int i = 0; i < 100; ++i) {
            std::this_thread::yield();
        }
        door.open = true;
    });
    pool.close();
    slow.join();
    opener.join();
    EXPECT_EQ(calls.load(), accepted.load());
}

// "Does nothing if the pool is being closed": it does not wait for handlers.
TEST(worker_pool, a_pause_during_close_waits_for_no_handler) {
    std::atomic<bool> begun{false};
    std::atomic<bool> paused{false};
    pool_type pool({.threads = 1});
    pool.on<row>([&](row&) {
        begun = true;
        library_test::await([&] { return paused.load(); });
    });
    pool.start();
    pool.submit(row{0});
    library_test::await([&] { return begun.load(); });
    std::thread closer([&] { pool.close(); });
    library_test::await([&] { return !pool.submit(row{1}); });
    pool.pause();
    paused = true;
    closer.join();
}

// "Does nothing if the pool is being closed."
TEST(worker_pool, a_pause_during_close_does_not_hold_it_up) {
    for (int round = 0; round < rounds(100); ++round) {
        std::atomic<int> calls{0};
        std::atomic<bool> closed{false};
        pool_type pool({.threads = 2});
        pool.on<row>([&](row& r) {
            ++calls;
            if (r.index % 10 == 0) {
                pool.pause();
            }
        });
        pool.pause();
        pool.start();
        for (int i = 0; i < 50; ++i) {
            pool.submit(row{i});
        }
        std::thread other([&] {
            while (!closed.load()) {
                pool.pause();
            }
        });
        pool.close();
        closed = true;
        other.join();
        EXPECT_EQ(calls.load(), 50);
    }
}

// "Blocks: `submit` … while the ring is full": it goes on when there is room.
TEST(worker_pool, blocked_submitters_go_on_when_there_is_room) {
    const library_test::time_limit limit("submitters that go on when there is room");
    constexpr int each = 50;
    std::atomic<int> calls{0};
    pool_type pool({.threads = 1, .capacity = 4});
    pool.on<row>([&](row&) { ++calls; });
    std::vector<observed_thread> seen(3);
    std::vector<std::thread> submitters;
    for (std::size_t t = 0; t < seen.size(); ++t) {
        submitters.emplace_back([&, t] {
            seen[t].announce();
            for (int i = 0; i < each; ++i) {
                EXPECT_TRUE(t == 0 ? pool.submit(row{i}, admission_class::low)
                                   : pool.submit(row{i}));
            }
        });
    }
    for (const auto& one : seen) {
        one.await_sleep();
    }
    EXPECT_EQ(pool.stats().queued, 4u);
    pool.start();
    for (auto& thread : submitters) {
        thread.join();
    }
    pool.drain();
    EXPECT_EQ(calls.load(), 3 * each);
    EXPECT_EQ(pool.stats().refused, 0u);
}

// "@returns false only if the pool is closed": a submitter that waits then gives up.
TEST(worker_pool, blocked_submitters_give_up_when_it_is_closed) {
    const library_test::time_limit limit("submitters that give up when the pool is closed");
    pool_type pool({.threads = 1, .capacity = 2});
    while (pool.try_submit(row{})) {
    }
    std::vector<observed_thread> seen(2);
    std::vector<std::thread> submitters;
    for (auto& one : seen) {
        submitters.emplace_back([&] {
            one.announce();
            EXPECT_FALSE(pool.submit(row{}));
        });
    }
    for (const auto& one : seen) {
        one.await_sleep();
    }
    pool.close();
    for (auto& thread : submitters) {
        thread.join();
    }
}

// "A handler that finds the ring full handles other messages while it waits."
TEST(worker_pool, a_handler_that_submits_to_a_full_pool_helps) {
    const library_test::time_limit limit("a handler that helps in a full pool");
    for (const unsigned threads : {1u, 3u}) {
        std::atomic<int> calls{0};
        pool_type pool({.threads = threads, .capacity = 2});
        pool.on<row>([&](row& r) {
            ++calls;
            for (int i = 1; r.index == 0 && i <= 100; ++i) {
                EXPECT_TRUE(i % 2 == 0 ? pool.submit(row{i})
                                       : pool.submit(row{i}, admission_class::low));
            }
        });
        pool.start();
        EXPECT_TRUE(pool.submit(row{0}));
        EXPECT_TRUE(pool.submit(row{0}));
        await([&] { return calls.load() == 202; });
        pool.drain();
        EXPECT_EQ(pool.stats().handled, 202u);
    }
}

// The same while it closes: what was accepted is handled, the rest refused.
TEST(worker_pool, a_handler_of_a_full_pool_does_not_hold_up_close) {
    for (int round = 0; round < rounds(50); ++round) {
        std::atomic<int> calls{0};
        std::atomic<int> accepted{0};
        pool_type pool({.threads = 2, .capacity = 2});
        pool.on<row>([&](row& r) {
            ++calls;
            for (int i = 1; r.index == 0 && i <= 100; ++i) {
                accepted += pool.submit(row{i}) ? 1 : 0;
            }
        });
        pool.start();
        EXPECT_TRUE(pool.submit(row{0}));
        EXPECT_TRUE(pool.submit(row{0}));
        pool.close();
        EXPECT_EQ(calls.load(), accepted.load() + 2);
    }
}

// "every member from any thread": also while another thread closes.
TEST(worker_pool, threads_that_wait_while_another_closes_all_come_back) {
    const library_test::time_limit limit("threads whose waits end when the pool is closed");
    for (int round = 0; round < rounds(50); ++round) {
        std::atomic<int> calls{0};
        std::atomic<int> accepted{0};
        pool_type pool({.threads = 2, .capacity = 4});
        pool.on<row>([&](row&) { ++calls; }).start();
        std::atomic<int> ready{0};
        std::vector<std::thread> all;
        for (int t = 0; t < 2; ++t) {
            all.emplace_back([&] {
                ++ready;
                while (pool.submit(row{})) {
                    ++accepted;
                }
            });
        }
        all.emplace_back([&] {
            ++ready;
            for (int i = 0; i < 5; ++i) {
                pool.drain();
                static_cast<void>(pool.stats());
            }
        });
        all.emplace_back([&] {
            ++ready;
            pool.close();
        });
        await([&] { return ready.load() == 4; });
        pool.close();
        EXPECT_EQ(pool.stats().queued, 0u);
        for (auto& thread : all) {
            thread.join();
        }
        EXPECT_EQ(calls.load(), accepted.load());
    }
}
