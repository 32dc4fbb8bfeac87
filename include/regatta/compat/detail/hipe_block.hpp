// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Hipe's array of a fixed size to which elements are added one by one.

#include <regatta/base/error.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace hipe::util {

/// Room for a number of elements, which are default-constructed, and a count of those added. For
/// batches: `pond.submitInBatch(block, block.element_numb())`.
///
/// Threads: one.
/// Failure: `std::logic_error` for an element without room, or taken from an empty block.
template<class T>
class Block {
public:
    Block() = default;
    explicit Block(std::size_t size) { reset(size); }
    Block(Block&& other) noexcept
        : elements_(std::move(other.elements_))
        , capacity_(std::exchange(other.capacity_, 0))
        , added_(std::exchange(other.added_, 0)) {}
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    virtual ~Block() = default;

    T& operator[](std::size_t index) { return elements_[index]; }

    std::size_t capacity() const noexcept { return capacity_; }
    /// How many have been added.
    std::size_t element_numb() const noexcept { return added_; }
    /// The same, under the name of the standard's containers.
    std::size_t size() const noexcept { return added_; }
    bool is_spare_for(std::size_t number) const noexcept { return number <= capacity_ - added_; }
    bool is_full() const noexcept { return added_ == capacity_; }

    template<class U>
    void add(U&& element) {
        if (is_full()) {
            regatta::fail_state("Block::add: all " + std::to_string(capacity_) +
                                " elements are taken");
        }
        elements_[added_] = std::forward<U>(element);
        ++added_;
    }
    /// Takes the last element back out of the count.
    void reduce() {
        if (added_ == 0) {
            regatta::fail_state("Block::reduce: the block is empty");
        }
        --added_;
    }
    /// Fills all room that is left with copies.
    void fill(const T& element) {
        while (!is_full()) {
            add(element);
        }
    }
    /// Forgets the elements and keeps the memory.
    void clean() noexcept { added_ = 0; }
    /// Makes new room, for another number of elements; those that were there are destroyed.
    void reset(std::size_t size) {
        elements_ = std::make_unique<T[]>(size);
        capacity_ = size;
        added_ = 0;
    }
    /// Destroys the elements and frees the memory.
    void release() noexcept {
        elements_.reset();
        capacity_ = 0;
        added_ = 0;
    }

    /// Does nothing; for classes that inherit.
    virtual void sort() {}

private:
    std::unique_ptr<T[]> elements_;
    std::size_t capacity_ = 0;
    std::size_t added_ = 0;
};

} // namespace hipe::util
