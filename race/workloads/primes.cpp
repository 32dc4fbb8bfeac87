// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/primes.hpp"

#include "workloads/shared_state.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {
namespace {

constexpr std::uint64_t not_counted = ~std::uint64_t{0};

/// What the mapping begins with; a count for each item follows.
struct alignas(destructive_alignment) primes_header {
    std::uint64_t items;
    std::uint64_t max_prime;

    static constexpr std::string_view workload = "primes";
    static constexpr std::uint64_t layout = layout_hash("primes v1");
    bool valid() const noexcept {
        return primes_sizes.contains(items) && primes_bounds.contains(max_prime);
    }
    std::size_t bytes_behind() const noexcept {
        return static_cast<std::size_t>(items) * sizeof(std::uint64_t);
    }
};

class primes final : public workload {
public:
    explicit primes(shared_state<primes_header> memory)
        : memory_(std::move(memory))
        , max_prime_(memory_.header().max_prime)
        , counts_(reinterpret_cast<std::uint64_t*>(memory_.data())) {}

    std::string_view name() const noexcept override { return primes_header::workload; }
    std::size_t items() const noexcept override {
        return static_cast<std::size_t>(memory_.header().items);
    }
    amount work_of_run() const override { return {static_cast<double>(items()), "events"}; }

    void run(std::size_t item) noexcept override { counts_[item] = count_primes(max_prime_); }

    void reset() noexcept override { std::fill(counts_, counts_ + items(), not_counted); }

    verification verify() const override {
        if (!expected_) {
            expected_ = sieve_primes(max_prime_);
        }
        const std::uint64_t* begin = counts_;
        const std::uint64_t* end = begin + items();
        const std::uint64_t* wrong =
            std::find_if(begin, end, [&](std::uint64_t found) { return found != *expected_; });
        if (wrong == end) {
            return {true, {}};
        }
        return {false, "item " + std::to_string(wrong - begin) + " counted " +
                           (*wrong == not_counted ? "nothing" : std::to_string(*wrong)) +
                           ", expected " + std::to_string(*expected_) + " primes"};
    }

    int descriptor() const noexcept override { return memory_.descriptor(); }
    std::vector<layout_number> layout() const override {
        return {{"max_prime", max_prime_}, {"counts", memory_.offset_of(counts_)}};
    }

private:
    shared_state<primes_header> memory_;
    std::uint64_t max_prime_;
    std::uint64_t* counts_;
    mutable std::optional<std::uint64_t> expected_; ///< Computed when first needed.
};

} // namespace

std::uint64_t count_primes(std::uint64_t below) noexcept {
    std::uint64_t found = 0;
    for (std::uint64_t number = 3; number < below; ++number) {
        const double root = std::sqrt(static_cast<double>(number));
        std::uint64_t divisor = 2;
        while (static_cast<double>(divisor) <= root && number % divisor != 0) {
            ++divisor;
        }
        found += static_cast<double>(divisor) > root ? 1 : 0;
    }
    return found;
}

std::uint64_t sieve_primes(std::uint64_t below) {
    std::vector<bool> composite(static_cast<std::size_t>(below));
    std::uint64_t found = 0;
    for (std::uint64_t number = 2; number < below; ++number) {
        if (composite[number]) {
            continue;
        }
        found += number == 2 ? 0 : 1;
        for (std::uint64_t multiple = number * number; multiple < below; multiple += number) {
            composite[multiple] = true;
        }
    }
    return found;
}

std::unique_ptr<workload> make_primes(const workload_options& options) {
    const std::size_t items = primes_sizes.choose(primes_header::workload, options);
    const std::size_t bound = primes_bounds.check(primes_header::workload, "max-prime",
                                                  options.max_prime.value_or(primes_bounds.usual));
    auto made = std::make_unique<primes>(shared_state<primes_header>::make({items, bound}));
    made->reset();
    return made;
}

std::unique_ptr<workload> attach_primes(int descriptor) {
    return std::make_unique<primes>(shared_state<primes_header>::attach(descriptor));
}

workload_info primes_workload() {
    return {.name = "primes",
            .summary =
                "an item counts the primes up to a number by trial division, as sysbench does",
            .options = "--size 1..1000000 (1000), --max-prime 1000..10000000 (10000)",
            .usual_size = primes_sizes.usual,
            .small_size = 20,
            .usual_max_prime = primes_bounds.usual,
            .make = make_primes,
            .attach = attach_primes};
}

} // namespace regatta::race
