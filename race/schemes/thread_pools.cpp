// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/item_tasks.hpp"
#include "schemes/scheme_entry.hpp"

#include <regatta/pool/balanced_pool.hpp>
#include <regatta/pool/dynamic_pool.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <optional>
#include <system_error>
#include <vector>

namespace regatta::race {
namespace {

/// A thread pool of this library; `wait` tells that all items are done.
template<class Pool>
class on_pool : public scheme {
public:
    void prepare(run_context& context) override {
        try {
            pool_.emplace(pool_options{.threads = context.workers, .name = "race"});
        } catch (const std::system_error& error) {
            throw scheme_failure(std::string("the pool could not start: ") + error.what());
        }
    }

protected:
    std::optional<Pool> pool_;
};

/// One `execute` an item.
template<class Pool>
class one_by_one final : public on_pool<Pool> {
public:
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
    explicit in_batches(std::size_t chunk) : chunk_(chunk) {
        if (chunk == 0) {
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

template<class Pool>
scheme_entry single() {
    scheme_entry entry = entry_of<one_by_one<Pool>>();
    entry.spawns = true;
    return entry;
}

template<class Pool>
scheme_entry batches() {
    return {.make = [](const scheme_options& options) {
        return std::make_unique<in_batches<Pool>>(options.chunk);
    }};
}

} // namespace

scheme_entry steady_scheme() {
    return single<steady_pool>();
}
scheme_entry steady_batch_scheme() {
    return batches<steady_pool>();
}
scheme_entry balanced_scheme() {
    return single<balanced_pool>();
}
scheme_entry balanced_batch_scheme() {
    return batches<balanced_pool>();
}
scheme_entry dynamic_scheme() {
    return single<dynamic_pool>();
}
scheme_entry dynamic_batch_scheme() {
    return batches<dynamic_pool>();
}

} // namespace regatta::race
