// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "program_messages.hpp"
#include "random_programs.hpp"
#include "support/threads.hpp"

#include <regatta/bus/async_bus.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace library_test;
using regatta::admission_class;
using regatta::when_full;

/// Threads that do with a bus whatever may be done, and what must come of it.
template<class... Others>
class program : called_back {
    using bus_type = regatta::async_bus<note, parcel, letter, trick, Others...>;

public:
    explicit program(unsigned round) : round_(round), d_(round * 64) {
        const auto some = [this](int sides) { return static_cast<std::size_t>(d_.roll(sides)); };
        policy_ = d_.roll(3) == 0 ? when_full::discard : when_full::block;
        throws_ = d_.roll(2) == 0;
        closes_ = d_.roll(4) == 0;
        abandons_ = d_.roll(4) == 0;
        const auto low = static_cast<unsigned>(d_.roll(80));
        bus_.emplace(regatta::bus_options{.capacity = std::size_t{1} << some(6),
                                          .producers = some(4),
                                          .subscribers = 1 + some(5),
                                          .admission = {low, low + 10, low + 20},
                                          .on_full = policy_});
        handled_by_ = new_stream();
        bus_->template subscribe<note>([this](const note& n) {
            ++notes_;
            check(n.s);
            act(); // Also if it throws the other handlers get the note.
        });
        const auto handle = [this](auto& m) {
            check(m.s);
            act();
        };
        bus_->template subscribe<parcel>(handle);
        bus_->template subscribe<letter>(handle);
        bus_->template subscribe<trick>(handle);
        (bus_->template subscribe<Others>(handle), ...);
    }

    void run() {
        const library_test::time_limit limit("the end of a random program");
        std::vector<std::jthread> producers; // Joined by `clear`.
        for (unsigned t = 0; t < 1u + static_cast<unsigned>(d_.roll(4)); ++t) {
            producers.emplace_back([this, t] { produce(round_ * 64 + 1 + t); });
        }
        std::thread meddler([this] { meddle(round_ * 64 + 10); });
        std::thread consumer([this] {
            // The consumer may be another thread each time.
            bool more = true;
            while (more) {
                std::thread([&] { more = consume(); }).join();
            }
        });
        if (!abandons_ && !closes_ && d_.roll(2) == 0) {
            producers.clear();
        }
        for (int i = d_.roll(100); i > 0; --i) {
            std::this_thread::yield();
        }
        bus_->close();
        producers.clear();
        consumer.join();
        done_ = true;
        meddler.join();
        verify();
    }

private:
    /// The messages of one producer, which arrive in order.
    struct stream {
        int accepted = 0; ///< The producer's.
        int seen = 0;     ///< The consumer's.
    };
    /// A handler that the consumer subscribed and has called with every note since. It shares this.
    struct subscriber {
        typename bus_type::subscription id{};
        int last;
        bool ends = false; ///< Is not called any more.
    };
    std::size_t new_stream() {
        const std::size_t mine = streams_used_++;
        EXPECT_LT(mine, streams_.size());
        return mine;
    }

    // --- producers -------------------------------------------------------------------------------

    void produce(unsigned seed) {
        dice d(seed);
        const std::size_t common = new_stream();
        for (int part = d.roll(5); part >= 0; --part) {
            if (d.roll(3) != 0) {
                std::optional<typename bus_type::producer> lane;
                try {
                    lane.emplace(bus_->make_producer());
                } catch (const std::logic_error&) {
                }
                if (lane) {
                    const std::size_t mine = new_stream();
                    for (int i = d.roll(60); i > 0; --i) {
                        d.roll(3) == 0 ? batch(*lane, d, mine) : one(*lane, d, mine);
                    }
                    continue;
                }
            }
            for (int i = d.roll(60); i > 0; --i) {
                one(*bus_, d, common);
            }
        }
    }
    /// Publishes one message, whatever its type and in whatever way.
    template<class To>
    void one(To& to, dice& d, std::size_t mine) {
        const int number = streams_[mine].accepted;
        switch (d.roll(6)) {
        case 0:
            return send(to, d, mine, parcel{{mine, number}, std::make_unique<int>(number)});
        case 1:
            letter::copies = d.roll(3);
            return send(to, d, mine, letter(mine, number));
        case 2:
            return send(to, d, mine, trick(mine, number, *this));
        case 3:
            if constexpr (!std::is_same_v<To, bus_type>) {
                return count(mine, to.template emplace<note>(mine, number), true);
            }
            [[fallthrough]];
        case 4:
            (send(to, d, mine, Others{{mine, streams_[mine].accepted}}), ...);
            [[fallthrough]];
        default:
            return send(to, d, mine, note(mine, streams_[mine].accepted));
        }
    }
    template<class To, class T>
    void send(To& to, dice& d, std::size_t mine, T m) {
        const auto c = static_cast<admission_class>(d.roll(3));
        const int way = d.roll(4);
        const auto give = [&](auto&& it) {
            using given = decltype(it);
            const bool accepted = way == 0   ? to.publish(std::forward<given>(it))
                                  : way == 1 ? to.publish(std::forward<given>(it), c)
                                  : way == 2 ? to.try_publish(std::forward<given>(it))
                                             : to.try_publish(std::forward<given>(it), c);
            count(mine, accepted, way < 2);
        };
        try {
            if constexpr (std::is_copy_constructible_v<T>) {
                return d.roll(2) == 0 ? give(std::as_const(m)) : give(std::move(m));
            } else {
                return give(std::move(m));
            }
        } catch (const oddity&) { // A copy.
        } catch (const std::invalid_argument&) {
            EXPECT_TRUE(way == 1 && policy_ == when_full::block);
        }
    }
    /// Publishes several at once, also more than fit. Of some the construction throws.
    void batch(typename bus_type::producer& lane, dice& d, std::size_t mine) {
        const auto count = static_cast<std::size_t>(d.roll(d.roll(4) == 0 ? 100 : 5));
        const int first = streams_[mine].accepted;
        std::vector<letter> letters;
        for (int i = 0; i < static_cast<int>(count); ++i) {
            letters.emplace_back(mine, first + i);
        }
        const int way = d.roll(3);
        const int most = d.roll(100);
        letter::copies = most;
        int made = 0;
        const auto make = [&](std::size_t i) {
            EXPECT_EQ(i, static_cast<std::size_t>(made));
            return made != most ? parcel{{mine, first + made++}, {}} : throw oddity();
        };
        std::size_t done = 0;
        try {
            done = way == 0   ? lane.try_publish_batch(letters)
                   : way == 1 ? lane.publish_batch(letters)
                              : lane.template publish_batch<parcel>(count, make);
            EXPECT_LE(done, count);
            EXPECT_TRUE(done == count || way == 0 || policy_ == when_full::discard ||
                        bus_->closed());
            streams_[mine].accepted = first + static_cast<int>(done);
            refused_ += count - done;
        } catch (const oddity&) {
            streams_[mine].accepted += most;
        }
    }
    void count(std::size_t mine, bool accepted, bool waits) {
        streams_[mine].accepted += accepted ? 1 : 0;
        refused_ += accepted ? 0 : 1;
        EXPECT_TRUE(accepted || !waits || policy_ == when_full::discard || bus_->closed());
    }

    // --- the consumer ----------------------------------------------------------------------------

    /// Consumes for a while. @returns whether there will be more.
    bool consume() {
        consumer_ = std::this_thread::get_id();
        const bool closed = bus_->closed();
        try {
            const int way = closed ? 0 : c_.roll(3);
            visits_ = way == 2;
            if (way == 0) {
                stop_ = std::stop_source();
                bus_->run(stop_.get_token());
                return !closed; // All that was accepted is processed, if it was closed before.
            }
            const auto max = static_cast<std::size_t>(c_.roll(100));
            const auto visitor = [this](auto& m) {
                check(m.s);
                act();
            };
            EXPECT_LE(visits_ ? bus_->process_with(visitor, max) : bus_->process_batch(max), max);
        } catch (const oddity&) {
        }
        return !abandons_ || c_.roll(20) != 0;
    }
    void check(const stamp& s) {
        EXPECT_EQ(consumer_.load(), std::this_thread::get_id());
        EXPECT_EQ(streams_[s.stream].seen++, s.number) << "stream " << s.stream;
        if (!visits_) {
            std::erase_if(subscribers_, [](const auto& one) {
                EXPECT_EQ(one.use_count(), one->ends ? 1 : 2);
                return one->ends;
            });
        }
    }
    void end(const std::shared_ptr<subscriber>& one) {
        const bool ended = std::exchange(one->ends, true);
        // A bus that ends has destroyed the handlers before the messages.
        const bool stands = !ended && (!ended_ || one.use_count() != 1); // Until then.
        EXPECT_EQ(bus_->unsubscribe(one->id), stands);
    }
    /// What the consumer does with a message, or when that is destroyed.
    void act(bool destroyed = false) {
        const note m(handled_by_, streams_[handled_by_].accepted);
        switch (c_.roll(20)) {
        case 0:
            return count(handled_by_, bus_->try_publish(m), false);
        case 1:
            try {
                // By a destructor only if it cannot throw.
                return destroyed ? void() : count(handled_by_, bus_->publish(m), true);
            } catch (const std::system_error& error) {
                EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
                ++refused_;
            }
            return;
        case 2:
        case 3: {
            const auto one = std::make_shared<subscriber>();
            one->last = notes_;
            try {
                one->id = bus_->template subscribe<note>([this, one](note&) {
                    EXPECT_FALSE(one->ends);
                    EXPECT_EQ(++one->last, notes_);
                    c_.roll(4) == 0 ? end(one) : void();
                });
                subscribers_.push_back(one);
            } catch (const std::logic_error&) { // No place.
            }
            return;
        }
        case 4:
        case 5:
            if (!subscribers_.empty()) {
                end(subscribers_[static_cast<std::size_t>(c_.roll(64)) % subscribers_.size()]);
            }
            return;
        case 6:
            return throws_ && !destroyed ? throw oddity() : void();
        case 7:
            return static_cast<void>(stop_.request_stop());
        case 8:
            return closes_ && c_.roll(20) == 0 ? bus_->close() : void();
        case 9:
            if (!ended_) {
                EXPECT_THROW(bus_->process_batch(), std::logic_error);
            }
        }
    }
    void call_back() noexcept override {
        if (consumer_.load() == std::this_thread::get_id()) {
            act(true);
        }
    }

    // --- others ----------------------------------------------------------------------------------

    /// Subscribes and unsubscribes, and looks at the figures.
    void meddle(unsigned seed) {
        dice d(seed);
        while (!done_) {
            const auto me = std::make_shared<std::atomic<bool>>(false);
            typename bus_type::subscription s;
            try {
                s = bus_->template subscribe<letter>([me](letter&) { *me = true; });
            } catch (const std::logic_error&) { // No place.
            }
            for (int i = d.roll(20); i > 0; --i) {
                std::this_thread::yield();
            }
            static_cast<void>(bus_->unsubscribe(s));
            EXPECT_EQ(me.use_count(), 1);
            const auto stats = bus_->stats();
            EXPECT_LE(stats.processed, stats.published);
        }
    }
    void verify() {
        std::uint64_t accepted = 0, seen = 0;
        for (const stream& one : streams_) {
            EXPECT_TRUE(one.seen == one.accepted || (abandons_ && one.seen < one.accepted));
            accepted += static_cast<std::uint64_t>(one.accepted);
            seen += static_cast<std::uint64_t>(one.seen);
        }
        const auto stats = bus_->stats();
        EXPECT_EQ(stats.published, accepted);
        EXPECT_EQ(stats.processed, seen);
        EXPECT_EQ(stats.queued, accepted - seen);
        EXPECT_EQ(stats.refused, refused_.load());
        consumer_ = std::this_thread::get_id();
        ended_ = true;
        bus_.reset();
        EXPECT_EQ(counting::alive.load(), 0);
        for (const auto& one : subscribers_) {
            EXPECT_EQ(one.use_count(), 1);
        }
    }

    const unsigned round_;
    dice d_;                   ///< Of the thread that began.
    dice c_{round_ * 64 + 63}; ///< The consumer's.
    when_full policy_;
    bool throws_;   ///< Handlers throw.
    bool closes_;   ///< Handlers close the bus.
    bool abandons_; ///< The consumer ends before all is processed.
    bool visits_ = false;
    bool ended_ = false; ///< The bus is about to be destroyed.
    std::atomic<bool> done_{false};
    std::atomic<std::size_t> streams_used_{0};
    std::array<stream, 64> streams_{};
    std::size_t handled_by_; ///< The stream of what the consumer publishes.
    std::atomic<std::uint64_t> refused_{0};
    int notes_ = 0; ///< Given to handlers.
    std::vector<std::shared_ptr<subscriber>> subscribers_;
    std::atomic<std::thread::id> consumer_{};
    std::stop_source stop_;
    std::optional<bus_type> bus_;
};

TEST(bus_programs_stress, each_message_comes_once_and_in_order) {
    repeat(300, std::chrono::milliseconds(1500), [](unsigned round, dice&) {
        SCOPED_TRACE(round);
        if (round % 2 == 0) {
            program<>(round).run();
        } else {
            program<other<0>, other<1>, other<2>, other<3>, other<4>>(round).run();
        }
    });
}

} // namespace
