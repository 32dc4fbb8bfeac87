// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/item_tasks.hpp"
#include "schemes/pool_list.hpp"
#include "schemes/scheme.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace regatta::race {
namespace {

/// A thread pool of this library; `wait` tells that all items are done.
template<class Pool>
class on_pool : public scheme {
public:
    /// Where the queue has a bound and is full, the caller waits for room.
    explicit on_pool(const scheme_options& options) : capacity_(options.capacity) {}

    void prepare(run_context& context) override {
        try {
            pool_.emplace(
                pool_options{.threads = context.workers, .capacity = capacity_, .name = "race"});
        } catch (const std::system_error& error) {
            throw scheme_failure(std::string("the pool could not start: ") + error.what());
        }
    }

protected:
    std::optional<Pool> pool_;

private:
    std::size_t capacity_;
};

/// One `execute` an item.
template<class Pool>
class one_by_one final : public on_pool<Pool> {
public:
    using on_pool<Pool>::on_pool;

    void run(run_context& context) override {
        item_tasks items(
            context, [this](auto task) { this->pool_->execute(task); }, [] {});
        in_waves(context, [&](std::size_t first, std::size_t last) {
            for (std::size_t item = first; item < last; ++item) {
                items.hand_out(item);
            }
            this->pool_->wait();
        });
    }
};

/// One `execute_batch` for each chunk of items.
template<class Pool>
class in_batches final : public on_pool<Pool> {
public:
    explicit in_batches(const scheme_options& options)
        : on_pool<Pool>(options)
        , chunk_(options.chunk) {
        if (chunk_ == 0) {
            throw std::invalid_argument("a chunk has at least 1 item");
        }
    }

    void run(run_context& context) override {
        item_tasks items(
            context, [this](auto task) { this->pool_->execute(task); }, [] {});
        std::vector<typename decltype(items)::task> batch;
        batch.reserve(chunk_);
        in_waves(context, [&](std::size_t first, std::size_t last) {
            for (std::size_t item = first; item < last;) {
                batch.clear();
                for (; item < last && batch.size() < chunk_; ++item) {
                    batch.push_back(items.of(item));
                }
                this->pool_->execute_batch(batch);
            }
            this->pool_->wait();
        });
    }

private:
    std::size_t chunk_;
};

template<class Scheme>
std::unique_ptr<scheme> make_bounded(const scheme_options& options) {
    return std::make_unique<Scheme>(options);
}

/// A pool whose threads come and go takes no bound.
template<class Scheme>
std::unique_ptr<scheme> make_unbounded(scheme_options options) {
    options.capacity = 0;
    return std::make_unique<Scheme>(options);
}

} // namespace

scheme_info steady_scheme() {
    return {.name = "steady",
            .summary = "regatta::steady_pool, one execute an item; warm threads",
            .suits = "many short tasks of about the same length",
            .make = make_bounded<one_by_one<steady_pool>>,
            .spawns = true,
            .single_tasks = true,
            .reusable = true,
            .traits = {.bounded = true}};
}

scheme_info steady_batch_scheme() {
    return {.name = "steady_batch",
            .summary = "regatta::steady_pool, one execute_batch for --chunk items; warm threads",
            .suits = "many short tasks that are known several at a time",
            .make = make_bounded<in_batches<steady_pool>>,
            .reusable = true,
            .traits = {.bounded = true, .sends_chunks = true}};
}

scheme_info balanced_scheme() {
    return {.name = "balanced",
            .summary = "regatta::balanced_pool, one execute an item; warm threads",
            .suits = "tasks of uneven length",
            .alias = "regatta", // it suits the most kinds of items
            .make = make_bounded<one_by_one<balanced_pool>>,
            .spawns = true,
            .single_tasks = true,
            .reusable = true,
            .traits = {.bounded = true}};
}

scheme_info balanced_batch_scheme() {
    return {.name = "balanced_batch",
            .summary = "regatta::balanced_pool, one execute_batch for --chunk items; warm threads",
            .suits = "tasks of uneven length that are known several at a time",
            .make = make_bounded<in_batches<balanced_pool>>,
            .reusable = true,
            .traits = {.bounded = true, .sends_chunks = true}};
}

scheme_info dynamic_scheme() {
    return {.name = "dynamic",
            .summary = "regatta::dynamic_pool, one execute an item; warm threads",
            .suits = "load that varies, so that threads come and go",
            .make = make_unbounded<one_by_one<dynamic_pool>>,
            .spawns = true,
            .single_tasks = true,
            .reusable = true};
}

scheme_info dynamic_batch_scheme() {
    return {.name = "dynamic_batch",
            .summary = "regatta::dynamic_pool, one execute_batch for --chunk items; warm threads",
            .suits = "load that varies and comes in bursts",
            .make = make_unbounded<in_batches<dynamic_pool>>,
            .reusable = true,
            .traits = {.sends_chunks = true}};
}

} // namespace regatta::race
