// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "random_programs.hpp"
#include "support/threads.hpp"

#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::dice;
using regatta::admission_class;

struct mishap {};

/// Counts its objects.
struct item {
    static inline std::atomic<int> alive{0};
    item(int i, int s) noexcept : id(i), submitter(s) { ++alive; }
    item(const item& from) noexcept : id(from.id), submitter(from.submitter) { ++alive; }
    ~item() { --alive; }
    int id;
    int submitter; ///< Negative: a handler.
};
/// Can only be moved.
struct box {
    explicit box(const item& i) noexcept : it(i) {}
    box(box&&) noexcept = default;
    item it;
};
using pool_type = regatta::worker_pool<item, box>;

/// Threads and handlers that do with some pools whatever may be done, and what must come of it.
class pool_program {
public:
    explicit pool_program(unsigned round) : round_(round), d_(round * 64) {
        starts_ = d_.roll(8) != 0;
        for (int i = d_.roll(3); i >= 0; --i) {
            pools_.push_back(std::make_unique<one>(d_));
        }
        for (std::size_t p = 0; p < pools_.size(); ++p) {
            pools_[p]->pool.on<item>(
                [this, p](item& m, const regatta::message_context& c) { handle(p, m, c); });
            pools_[p]->pool.on<box>(
                [this, p](box& m, const regatta::message_context& c) { handle(p, m.it, c); });
        }
    }
    void run() {
        const library_test::time_limit limit("the end of a random program");
        std::vector<std::thread> submitters;
        for (int t = 0; t < submitters_; ++t) {
            submitters.emplace_back([this, t] { submit_all(t); });
        }
        std::vector<std::thread> others;
        others.emplace_back([this] { pause_and_resume(); });
        others.emplace_back([this] { wait_and_look(); });
        pass(50);
        for (const auto& p : pools_) {
            starts_ ? p->pool.start() : void();
        }
        const bool at_once = !starts_ || d_.roll(2) == 0;
        if (!at_once) {
            join(submitters);
        }
        pass(200);
        for (const auto& p : pools_) {
            p->pool.close();
        }
        join(submitters);
        done_ = true;
        join(others);
        verify();
    }

private:
    /// A pool, and what was done with it.
    struct one {
        explicit one(dice& d)
            : low(static_cast<unsigned>(d.roll(80)))
            , workers(1u + static_cast<unsigned>(d.roll(3)))
            , pool({.threads = workers,
                    .capacity = std::size_t{1} << d.roll(5),
                    .admission = {low, low + 10, low + 20},
                    .on_error =
                        regatta::error_sink([this](const std::exception_ptr&) { ++errors; })}) {}
        const unsigned low;
        const unsigned workers;
        std::atomic<int> accepted{0};
        std::atomic<int> refused{0};
        std::atomic<int> tasks{0}; ///< Those of the accepted that are tasks.
        std::atomic<int> tasks_run{0};
        std::atomic<int> thrown{0};
        std::atomic<int> errors{0};
        std::array<std::int64_t, 3> last_sequence{-1, -1, -1}; ///< Each worker's.
        std::array<int, 4> last_of{-1, -1, -1, -1};            ///< A single worker's.
        pool_type pool;
    };
    static constexpr int submitters_ = 3;

    static void join(std::vector<std::thread>& threads) {
        for (auto& thread : threads) {
            thread.join();
        }
        threads.clear();
    }
    void pass(int most) {
        for (int i = d_.roll(most); i > 0; --i) {
            std::this_thread::yield();
        }
    }

    // --- ways to submit --------------------------------------------------------------------------

    void count(one& to, int id, bool accepted) {
        ++(accepted ? to.accepted : to.refused);
        accepted_[static_cast<std::size_t>(id)] = accepted ? 1 : 0;
    }
    /// Submits a message, if there are any left. @param waits whether it may wait for room.
    void send(one& to, dice& d, int submitter, bool waits) {
        const int id = next_id_++;
        if (id >= static_cast<int>(handled_.size())) {
            return;
        }
        const auto c = static_cast<admission_class>(d.roll(3));
        item m(id, submitter);
        const int way = d.roll(waits ? 8 : 4);
        try {
            const bool accepted = way == 0   ? to.pool.try_submit(m)
                                  : way == 1 ? to.pool.try_submit(item(m), c)
                                  : way == 2 ? to.pool.try_submit(box(m), c)
                                  : way == 3 ? to.pool.try_submit(box(m))
                                  : way == 4 ? to.pool.submit(box(m), c)
                                  : way == 5 ? to.pool.submit(m, c)
                                  : way == 6 ? to.pool.submit(box(m))
                                             : to.pool.submit(m);
            count(to, id, accepted);
            EXPECT_TRUE(accepted || way < 4 || closed(to));
        } catch (const std::invalid_argument&) {
            EXPECT_TRUE(way == 4 || way == 5);
        } catch (const std::system_error& error) {
            EXPECT_LT(submitter, 0);
            EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
            count(to, id, false);
        }
    }
    /// Whether the pool takes nothing more.
    static bool closed(one& p) {
        try {
            p.pool.execute([] {});
        } catch (const regatta::task_rejected&) {
            ++p.refused;
            return true;
        }
        return false;
    }
    /// Submits one task or several. @returns their futures.
    std::vector<regatta::future<void>> send_tasks(one& to, dice& d) {
        const auto task = [&to] { ++to.tasks_run; };
        std::vector<regatta::future<void>> futures;
        std::size_t many = 1;
        std::size_t accepted = 0;
        try {
            switch (d.roll(4)) {
            case 0:
                to.pool.execute(task);
                break;
            case 1:
                to.pool.execute([task, &to] {
                    task();
                    ++to.thrown;
                    throw mishap();
                });
                break;
            case 2:
                futures.push_back(to.pool.submit(task));
                break;
            default:
                many = static_cast<std::size_t>(d.roll(40));
                for (auto& future : to.pool.submit_batch(std::vector(many, task))) {
                    futures.push_back(std::move(future));
                }
            }
            accepted = many;
        } catch (const regatta::task_rejected& error) {
            accepted = error.accepted();
        }
        to.accepted += static_cast<int>(accepted);
        to.refused += static_cast<int>(many - accepted);
        to.tasks += static_cast<int>(accepted);
        return futures;
    }

    // --- threads ---------------------------------------------------------------------------------

    one& any(dice& d) { return *pools_[static_cast<std::size_t>(d.roll(64)) % pools_.size()]; }

    void submit_all(int me) {
        dice d(round_ * 64 + 1 + static_cast<unsigned>(me));
        std::vector<regatta::future<void>> futures;
        for (int i = d.roll(200); i > 0; --i) {
            if (d.roll(8) != 0) {
                send(any(d), d, me, true);
                continue;
            }
            for (auto& future : send_tasks(any(d), d)) {
                futures.push_back(std::move(future));
            }
        }
        for (auto& future : futures) {
            try {
                future.get();
            } catch (const regatta::task_cancelled&) {
                EXPECT_FALSE(starts_);
            }
        }
    }
    void pause_and_resume() {
        dice d(round_ * 64 + 10);
        while (!done_) {
            one& p = any(d);
            p.pool.pause();
            for (int i = d.roll(5); i > 0; --i) {
                std::this_thread::yield();
            }
            p.pool.resume();
            for (int i = d.roll(50); i > 0; --i) {
                std::this_thread::yield();
            }
        }
    }
    void wait_and_look() {
        dice d(round_ * 64 + 11);
        while (!done_) {
            one& p = any(d);
            try {
                const auto before = p.pool.stats();
                switch (d.roll(3)) {
                case 0:
                    p.pool.drain();
                    EXPECT_TRUE(!starts_ || p.pool.stats().handled >= before.submitted);
                    break;
                case 1:
                    p.pool.wait();
                    break;
                default:
                    static_cast<void>(p.pool.wait_for(std::chrono::microseconds(d.roll(200))));
                }
            } catch (const std::logic_error&) { // Not started.
            }
            std::this_thread::yield();
        }
    }

    // --- handlers --------------------------------------------------------------------------------

    void handle(std::size_t p, const item& m, const regatta::message_context& c) {
        one& here = *pools_[p];
        ++handled_[static_cast<std::size_t>(m.id)];
        EXPECT_LT(
            std::exchange(here.last_sequence[c.worker], static_cast<std::int64_t>(c.sequence)),
            static_cast<std::int64_t>(c.sequence));
        if (here.workers == 1 && m.submitter >= 0) {
            EXPECT_LT(std::exchange(here.last_of[static_cast<std::size_t>(m.submitter)], m.id),
                      m.id);
        }
        dice d(round_ * 64 + 64 * 1024 * static_cast<unsigned>(m.id + 1));
        try {
            act(p, here, d);
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
        }
    }
    void act(std::size_t p, one& here, dice& d) {
        switch (d.roll(24)) {
        case 0:
        case 1:
            for (int i = d.roll(4); i > 0; --i) {
                send(here, d, -1, true);
            }
            return;
        case 2:
            return send(any(d), d, -1, false);
        case 3: // To one that waits for none before it.
            return p + 1 < pools_.size() ? send(*pools_[p + 1], d, -1, true) : void();
        case 4:
            for (auto& future : send_tasks(here, d)) {
                d.roll(2) == 0 ? future.get() : void();
            }
            return;
        case 5:
            return static_cast<void>(here.pool.wait_for(std::chrono::microseconds(d.roll(100))));
        case 6:
            ++here.thrown;
            throw mishap();
        case 7:
            // The thread that resumes it may wait for a handler, and that for room in another pool.
            return pools_.size() == 1 ? here.pool.pause() : void();
        case 8:
            return static_cast<void>(p + 1 < pools_.size() ? send_tasks(*pools_[p + 1], d)
                                                           : send_tasks(here, d));
        case 9:
            EXPECT_THROW(here.pool.drain(), std::system_error);
            return;
        case 10:
            EXPECT_THROW(here.pool.close(), std::system_error);
            return;
        default:
            return;
        }
    }
    void verify() {
        for (const auto& p : pools_) {
            const auto stats = p->pool.stats();
            EXPECT_EQ(stats.submitted, static_cast<unsigned>(p->accepted));
            EXPECT_EQ(stats.refused, static_cast<unsigned>(p->refused));
            EXPECT_EQ(stats.handled, static_cast<unsigned>(starts_ ? p->accepted.load() : 0));
            EXPECT_EQ(stats.errors, static_cast<unsigned>(p->thrown));
            EXPECT_EQ(p->errors.load(), p->thrown.load());
            EXPECT_EQ(p->tasks_run.load(), starts_ ? p->tasks.load() : 0);
            EXPECT_EQ(stats.queued, 0u);
        }
        for (std::size_t i = 0; i < handled_.size(); ++i) {
            EXPECT_EQ(handled_[i].load(), starts_ ? accepted_[i] : 0) << "message " << i;
        }
        EXPECT_EQ(item::alive.load(), 0);
    }

    const unsigned round_;
    dice d_; ///< Of the thread that began.
    bool starts_;
    std::atomic<bool> done_{false};
    std::atomic<int> next_id_{0};
    std::array<std::atomic<int>, 4000> handled_{};
    std::array<int, 4000> accepted_{}; ///< Each written by its submitter.
    std::vector<std::unique_ptr<one>> pools_;
};

TEST(worker_pool_programs_stress, each_message_is_handled_once) {
    library_test::repeat(300, std::chrono::milliseconds(1500), [](unsigned round, dice&) {
        SCOPED_TRACE(round);
        pool_program(round).run();
    });
}

} // namespace
