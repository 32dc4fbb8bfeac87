// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `stop_notice`: I1, I2. The stop token is a small one that does what the standard says:
/// the destructor of a callback that another thread is calling waits for the end of the call.

#include "model_check.hpp"

#include <regatta/core/detail/stop_notice.hpp>

constexpr auto relaxed = std::memory_order_relaxed;

/// What a stop source and its tokens share; one callback at a time.
class stop_state {
public:
    struct registration {
        virtual void call() = 0;
    };

    bool requested() const { return requested_.load(std::memory_order_acquire) != 0; }
    void request() {
        lock_.lock($);
        requested_.store(1, std::memory_order_release);
        called_ = std::exchange(registered_, nullptr);
        caller_ = rl::thread_index();
        registration* const mine = called_;
        lock_.unlock($);
        if (mine != nullptr) {
            mine->call(); // It may destroy itself.
        }
        lock_.lock($);
        called_ = nullptr;
        lock_.unlock($);
    }
    /// @returns false if the stop was requested before.
    bool add(registration& r) {
        lock_.lock($);
        const bool added = requested_.load(relaxed) == 0;
        if (added) {
            registered_ = &r;
        }
        lock_.unlock($);
        return added;
    }
    void remove(registration& r) {
        for (bool under_way = true; under_way;) {
            lock_.lock($);
            if (registered_ == &r) {
                registered_ = nullptr;
            }
            under_way = called_ == &r && caller_ != rl::thread_index();
            lock_.unlock($);
            if (under_way) {
                model::model_atomics::yield();
            }
        }
    }

private:
    rl::mutex lock_;
    model::atomic<unsigned> requested_{0};
    registration* registered_ = nullptr;
    registration* called_ = nullptr;
    unsigned caller_ = 0;
};

struct model_stop {
    struct token {
        stop_state* state;
        bool stop_requested() const { return state->requested(); }
    };
    template<class F>
    class callback : stop_state::registration {
    public:
        callback(const token& t, F f) : state_(*t.state), call_(f) {
            if (!state_.add(*this)) {
                call_();
            }
            made_($) = 1;
        }
        ~callback() {
            RL_ASSERT(made_($) == 1);
            state_.remove(*this);
        }

    private:
        void call() override {
            const F mine = call_;
            mine();
        }
        stop_state& state_;
        F call_;
        rl::var<int> made_; ///< Stands for what the constructor writes last.
    };
};

/// The words of all notices of a run. They outlive the notices: the last wake-up uses the address
/// of one that may be gone.
struct words {
    model::atomic<std::uint32_t> all[2];
    unsigned used = 0;
    static inline words* current = nullptr;
};

struct notice_atomics : model::model_atomics {
    template<class T>
    class atomic {
    public:
        using location = std::source_location;
        explicit atomic(T value) : own(words::current->all[words::current->used++]) {
            own.store(value, relaxed);
        }
        T load(std::memory_order order, location at = location::current()) const {
            return own.load(order, at);
        }
        void store(T value, std::memory_order order, location at = location::current()) {
            own.store(value, order, at);
        }
        bool compare_exchange_weak(T& expected, T value, std::memory_order success,
                                   std::memory_order failure, location at = location::current()) {
            return own.compare_exchange_weak(expected, value, success, failure, at);
        }
        model::atomic<T>& own;
    };
    static void wait(atomic<std::uint32_t>& word, std::uint32_t expected, std::nullptr_t) {
        word.own.wait(expected, false);
    }
    static void wake(atomic<std::uint32_t>& word, std::uint32_t count,
                     std::source_location at = std::source_location::current()) {
        model_atomics::wake(word.own, count, at);
    }
};

/// One thread makes a notice and ends it, while another requests the stop, or has before.
template<bool Before>
struct requested : rl::test_suite<requested<Before>, 2> {
    words all;
    stop_state stop;
    rl::var<int> calls;
    model::atomic<unsigned> made{0};

    struct counting {
        requested* self;
        void operator()() const noexcept { self->calls($) = self->calls($) + 1; }
    };
    using notice_type = regatta::detail::basic_stop_notice<counting, notice_atomics, model_stop>;
    union storage {
        storage() {}
        ~storage() {}
        notice_type notice;
    } place;

    void before() {
        words::current = &all;
        calls($) = 0;
        if (Before) {
            stop.request();
        }
    }
    void thread(unsigned index) {
        if (index == 0) {
            return stop.request();
        }
        new (&place.notice) notice_type(model_stop::token{&stop}, counting{this});
        const bool due = stop.requested();
        place.notice.~notice_type();
        const int called = calls($);
        RL_ASSERT(called <= 1);         // I1
        RL_ASSERT(!due || called == 1); // I2
    }
};

int main() {
    return model::check({model::make_scenario<requested<false>>("requested meanwhile"),
                         model::make_scenario<requested<true>>("requested before")},
                        {"stop_notice.hpp"});
}
