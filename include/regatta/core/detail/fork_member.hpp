// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The part of a thread in the forks of a pool that other threads see.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_frame.hpp>
#include <regatta/sync/quiescence.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace regatta::detail {

template<class Atomics>
class basic_fork_member;
template<class Atomics>
struct basic_fork_work;

/// A task that waits on its worker for something else than the pool. Tasks that the worker runs
/// meanwhile lie above it on the same stack: it cannot go on before they end.
template<class Atomics>
struct basic_task_beneath {
    basic_fork_member<Atomics>* root;  ///< Of the region in which it waits, or null.
    const basic_task_beneath* beneath; ///< The next one on the same stack, or null.
};

/// What the task of a worker stands on.
template<class Atomics>
struct basic_task_ground {
    /// The waiting tasks beneath, but for those beneath a task that waits for the pool.
    const basic_task_beneath<Atomics>* beneath = nullptr;
    bool in_hook = false; ///< It is no task: the worker runs `on_start` or `on_stop`.
};

/// The values of a request word other than 0.
struct fork_request_values {
    static constexpr std::uint32_t wanted = 1; ///< Another thread wants work.
    /// Nobody looks for work, and nobody was called: the next frame that is pushed is given away.
    static constexpr std::uint32_t unwatched = 2;
};

/// A thread that forks on the workers of one pool, as the others see it: a worker, or a thread that
/// has opened a region from outside.
///
/// Threads: the owner's, unless stated otherwise.
///
/// I1: a published frame is taken by one thread: its owner or another.
/// I2: what the owner did before it published a frame is visible to the thread that takes it.
template<class Atomics>
class alignas(destructive_alignment) basic_fork_member {
public:
    using frame = basic_fork_frame<Atomics>;
    using request = fork_request_values;
    static constexpr unsigned places = 8;
    /// A member that others ask for work no sooner than that after its last publication.
    static constexpr std::int64_t pace_ns = 10'000;

    basic_fork_member() noexcept {
        for (auto& place : places_) {
            place.store(nullptr, std::memory_order_relaxed);
        }
    }
    basic_fork_member(const basic_fork_member&) = delete;
    basic_fork_member& operator=(const basic_fork_member&) = delete;

    /// A free place, or `places` if all are taken. It stays free until the owner fills it.
    unsigned free_place() noexcept {
        if (filled_ == (1u << places) - 1) [[unlikely]] {
            look_for_emptied();
        }
        return static_cast<unsigned>(std::countr_one(filled_));
    }
    /// How many places are free.
    unsigned free_places() noexcept {
        look_for_emptied();
        return places - static_cast<unsigned>(std::popcount(filled_));
    }
    /// Publishes a frame in a free place.
    void publish(frame& f, unsigned place, const void* region, const fork_stop* scope) noexcept {
        f.shared.emplace();
        auto& s = f.shared.get();
        s.owner = this;
        s.region = region;
        s.scope = scope;
        s.place = place;
        filled_ |= 1u << place;
        note_cpu();
        // release: partner is the acquire in take(); publishes the frame.
        places_[place].store(&f, std::memory_order_release);
    }
    /// Takes a frame back. @returns false if another thread has taken it.
    bool reclaim(frame& f) noexcept {
        const auto& s = f.shared.get();
        // relaxed: a hint. Its thread has said so on the line that the owner waits on: no look at
        // that of the places, which it has written, too.
        if (s.thief.load(std::memory_order_relaxed) != nullptr) {
            return false;
        }
        frame* expected = &f;
        const unsigned place = s.place;
        // relaxed: the frame is the caller's own. Another thread that takes it synchronises when
        // its work is done.
        if (!places_[place].compare_exchange_strong(expected, nullptr, std::memory_order_relaxed,
                                                    std::memory_order_relaxed)) {
            return false;
        }
        emptied(place);
        return true;
    }

    /// Takes the oldest frame that is found, for any thread. @returns null if no place holds one.
    /// @param wanted the region that it has to belong to, or null for any. If the owner takes the
    /// frame back and publishes it again during the call, it may be of another region after all.
    frame* take(const void* wanted) noexcept {
        for (auto& place : places_) {
            // relaxed: a hint; the compare-and-swap decides. A null pointer is no frame.
            if (place.load(std::memory_order_relaxed) == nullptr) {
                continue;
            }
            // acquire: partner is the release in publish(). It orders the look at the region.
            frame* f = place.load(std::memory_order_acquire);
            if (f == nullptr ||
                (wanted != nullptr && region_.load(std::memory_order_relaxed) != wanted)) {
                continue;
            }
            // These lines travel while that of the place is fetched for writing: of the frame, and
            // the one that says whether the region was opened from outside.
            REGATTA_PREFETCH(this);
            for (std::size_t line = 0; line < 4; ++line) {
                REGATTA_PREFETCH(reinterpret_cast<const char*>(f) + line * cache_line_size);
            }
            // acquire: partner is the release in publish().
            if (place.compare_exchange_strong(f, nullptr, std::memory_order_acquire,
                                              std::memory_order_relaxed)) {
                return f;
            }
        }
        return nullptr;
    }
    /// Whether a frame can be taken; for any thread. May be stale. If so, what the owner did before
    /// it published the frame is visible.
    bool offers() const noexcept {
        for (const auto& place : places_) {
            // acquire: partner is the release in publish().
            if (place.load(std::memory_order_acquire) != nullptr) {
                return true;
            }
        }
        return false;
    }

    /// Asks the owner for work, unless that was done or heard a moment ago, or it is in no region;
    /// for any thread.
    void ask(std::int64_t now) noexcept {
        // relaxed, all: hints.
        if (region() != nullptr && beat_.load(std::memory_order_relaxed) != request::wanted &&
            now - answered_.load(std::memory_order_relaxed) >= pace_ns) {
            beat_.store(request::wanted, std::memory_order_relaxed);
        }
    }
    /// Asks at once.
    void demand() noexcept { beat_.store(request::wanted, std::memory_order_relaxed); }
    /// The owner does not hear what was asked before, unless it has never answered: other workers
    /// may just be starting.
    void forget_request() noexcept {
        // relaxed, both: the owner's own; a hint.
        if (answered_.load(std::memory_order_relaxed) != 0) {
            beat_.store(0, std::memory_order_relaxed);
        }
    }
    /// The owner has nothing to give, and nobody looks who would ask again: the next frame is given
    /// away. Who asks meanwhile asks again.
    void defer() noexcept { beat_.store(request::unwatched, std::memory_order_relaxed); }
    /// The owner has heard the request.
    void answer(std::int64_t now) noexcept {
        answered_.store(now, std::memory_order_relaxed);
        beat_.store(0, std::memory_order_relaxed);
    }
    typename Atomics::template atomic<std::uint32_t>& beat() noexcept { return beat_; }

    /// The owner notes where it runs.
    void note_cpu() noexcept { cpu_.store(Atomics::this_cpu(), std::memory_order_relaxed); }
    /// Whether the owner was last seen on that CPU; for any thread. If both are there, one of them
    /// waits for the other to leave it.
    bool is_on(int cpu) const noexcept {
        // relaxed: a hint.
        return cpu >= 0 && cpu_.load(std::memory_order_relaxed) == cpu;
    }

    /// The region whose frames the owner publishes from now on.
    void begin(const void* region) noexcept {
        // relaxed: the release in publish() orders it.
        region_.store(const_cast<void*>(region), std::memory_order_relaxed);
    }
    const void* region() const noexcept { return region_.load(std::memory_order_relaxed); }

    /// Working while a region is open that counts as a task of its own.
    basic_quiescence<Atomics> activity;
    // Written at the begin of a region, read by the threads that work for it:
    /// The opener of the outermost region of the same task, often this one.
    basic_fork_member* root = nullptr;
    const basic_fork_work<Atomics>* below = nullptr; ///< What the opener has set aside.
    basic_task_ground<Atomics> ground{};             ///< Of the opener, if it is a worker.

    /// How many waits for the whole pool there are in that region, on any thread.
    typename Atomics::template atomic<std::uint32_t> waits{0};
    /// The team and the thread. The last to leave deletes it. Raised under the lock of the team
    /// only, lowered by both.
    typename Atomics::template atomic<std::uint32_t> holders{2};
    /// Whether the thread is between the begin of a region and its last access to the team.
    /// Written by the thread, read by the one that destroys the team.
    typename Atomics::template atomic<bool> inside{false};

private:
    void look_for_emptied() noexcept {
        for (unsigned i = 0; i < places; ++i) {
            // relaxed: only the owner fills a place. If another thread has just emptied it, the
            // owner may see that late.
            if (places_[i].load(std::memory_order_relaxed) == nullptr) {
                emptied(i);
            }
        }
    }
    void emptied(unsigned place) noexcept { filled_ &= ~(1u << place); }

    /// A bit for each place that may hold a frame. The owner's; it says so without a look at the
    /// places' line, which others write. Only when all bits are set, or before it blocks, does the
    /// owner look which places others have emptied. Not on a line that others read: a read of it
    /// would wait for the owner's stores to that line.
    alignas(cache_line_size) unsigned filled_ = 0;
    /// Whether another thread wants work. Written by all, read by the owner at each fork.
    alignas(destructive_alignment)
        typename Atomics::template atomic<std::uint32_t> beat_{request::wanted};
    /// When the owner last heard a request. Written by the owner, read by all.
    typename Atomics::template atomic<std::int64_t> answered_{0};
    /// Written by the owner, read by all.
    typename Atomics::template atomic<void*> region_{nullptr};
    /// The CPU on which it last published or took a frame. Written by the owner, read by all.
    typename Atomics::template atomic<int> cpu_{-1};
    /// The published frames. Filled by the owner, emptied by all.
    alignas(destructive_alignment) typename Atomics::template atomic<frame*> places_[places];

public:
    /// The next in the list of the team. Written before the member is listed. Not on a line that
    /// the owner writes: a thread that looks for work reads it for each member.
    basic_fork_member* next = nullptr;
};

} // namespace regatta::detail
