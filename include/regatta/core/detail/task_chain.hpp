// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Tasks of one owner in the order in which they came.

#include <regatta/base/inline_task.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace regatta::detail {

/// A first-in-first-out queue of tasks, which stay where they were put: a chain of segments, of one
/// task at first, then of more. A segment whose tasks have left is used again.
///
/// Threads: one at a time.
/// Failure: `push_back` throws `std::bad_alloc`; then the task is unchanged.
/// Cost: no task is moved when the queue grows. The memory of the greatest length stays until the
/// destruction: 80 bytes for a queue that never had more than one task.
class task_chain {
public:
    using task = inline_task<void()>;

    task_chain() = default;
    task_chain(task_chain&& other) noexcept { swap(other); }
    task_chain& operator=(task_chain&&) = delete;
    ~task_chain() {
        while (!empty()) {
            pop_front();
        }
        if (head_ != nullptr) {
            spare(head_);
        }
        while (spare_ != nullptr) {
            ::operator delete(std::exchange(spare_, spare_->next));
        }
    }

    bool empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }

    void push_back(task&& added) {
        if (tail_ == nullptr || end_ == tail_->capacity) {
            extend();
        }
        std::construct_at(tail_->tasks() + end_, std::move(added));
        ++end_;
        ++size_;
    }
    /// The first task, of one or more.
    task& front() noexcept { return head_->tasks()[begin_]; }
    /// Destroys it.
    void pop_front() noexcept {
        std::destroy_at(&front());
        ++begin_;
        --size_;
        if (size_ == 0) {
            begin_ = end_ = 0; // Its only segment is free again.
        } else if (begin_ == head_->capacity) {
            spare(std::exchange(head_, head_->next));
            begin_ = 0;
        }
    }
    /// The task behind `i` others. Cost: goes from segment to segment.
    task& operator[](std::size_t i) noexcept {
        segment* at = head_;
        for (i += begin_; i >= at->capacity; at = at->next) {
            i -= at->capacity;
        }
        return at->tasks()[i];
    }

    /// Forgets the tasks, in a fork of the process whose threads had them: neither they nor their
    /// memory end.
    void abandon() noexcept {
        head_ = tail_ = spare_ = nullptr;
        begin_ = end_ = size_ = 0;
    }

    void swap(task_chain& other) noexcept {
        std::swap(head_, other.head_);
        std::swap(tail_, other.tail_);
        std::swap(spare_, other.spare_);
        std::swap(begin_, other.begin_);
        std::swap(end_, other.end_);
        std::swap(size_, other.size_);
    }
    /// Takes the segments that the other one has and does not use.
    void take_spare(task_chain& from) noexcept {
        while (from.spare_ != nullptr) {
            spare(std::exchange(from.spare_, from.spare_->next));
        }
    }

private:
    struct alignas(task) segment {
        segment* next;
        std::size_t capacity;

        task* tasks() noexcept { return std::launder(reinterpret_cast<task*>(this + 1)); }
    };

    /// Tasks of a segment: some two kilobytes.
    static constexpr std::size_t most = 31;

    void spare(segment* unused) noexcept { unused->next = std::exchange(spare_, unused); }
    /// Appends an empty segment.
    void extend() {
        segment* added = spare_;
        if (added != nullptr) {
            spare_ = added->next;
        } else {
            const std::size_t capacity =
                tail_ == nullptr ? 1 : std::min(most, 2 * tail_->capacity + 1);
            added = ::new (::operator new(sizeof(segment) + capacity * sizeof(task)))
                segment{nullptr, capacity};
        }
        added->next = nullptr;
        (tail_ == nullptr ? head_ : tail_->next) = added;
        tail_ = added;
        end_ = 0;
    }

    segment* head_ = nullptr;
    segment* tail_ = nullptr;
    segment* spare_ = nullptr;
    std::size_t begin_ = 0; ///< Of the head, the first task that is left.
    std::size_t end_ = 0;   ///< Of the tail, the place for the next one.
    std::size_t size_ = 0;
};

} // namespace regatta::detail
