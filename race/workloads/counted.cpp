// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/counted.hpp"

#include "workloads/shared_state.hpp"

#include <vector>

namespace regatta::race {
namespace {

/// All of their state: how many items there are.
template<class Workload>
struct alignas(destructive_alignment) counted_header {
    std::uint64_t size;

    static constexpr std::string_view workload = Workload::title;
    static constexpr std::uint64_t layout = layout_hash(Workload::layout_text);
    bool valid() const noexcept { return Workload::sizes.contains(size); }
    std::size_t bytes_behind() const noexcept { return 0; }
};

/// A workload of tiny items without output.
template<class Workload>
class counted : public workload {
public:
    using state = shared_state<counted_header<Workload>>;

    explicit counted(state memory) : memory_(std::move(memory)) {}

    static std::unique_ptr<workload> make(const workload_options& options) {
        const std::size_t size = Workload::sizes.choose(Workload::title, options);
        return std::make_unique<Workload>(state::make({size}));
    }
    static std::unique_ptr<workload> attach(int descriptor) {
        return std::make_unique<Workload>(state::attach(descriptor));
    }

    std::string_view name() const noexcept override { return Workload::title; }
    std::size_t items() const noexcept override { return size(); }
    bool tiny_items() const noexcept override { return true; }
    void reset() noexcept override {}
    verification verify() const override { return {true, {}}; }
    int descriptor() const noexcept override { return memory_.descriptor(); }

protected:
    std::size_t size() const noexcept { return static_cast<std::size_t>(memory_.header().size); }

private:
    state memory_;
};

class empty_items final : public counted<empty_items> {
public:
    static constexpr std::string_view title = "empty";
    static constexpr std::string_view layout_text = "empty v1";
    static constexpr size_range sizes = empty_sizes;

    using counted::counted;
    void run(std::size_t) noexcept override {}
};

/// Where memory is out an item cannot report it: the program ends.
class allocating_items final : public counted<allocating_items> {
public:
    static constexpr std::string_view title = "allocate";
    static constexpr std::string_view layout_text = "allocate v1";
    static constexpr size_range sizes = allocate_sizes;

    using counted::counted;
    void run(std::size_t item) noexcept override {
        const std::vector<int> fresh(100, static_cast<int>(item));
        // For the compiler someone reads it here, so that it is not left out.
        asm volatile("" : : "r"(fresh.data()) : "memory");
    }
};

class spawned_items final : public counted<spawned_items> {
public:
    static constexpr std::string_view title = "within";
    static constexpr std::string_view layout_text = "within v1";
    static constexpr size_range sizes = within_sizes;

    using counted::counted;
    std::size_t items() const noexcept override { return size() + 1; }
    std::size_t handed_out() const noexcept override { return 1; }
    void run(std::size_t) noexcept override {}
    void run_spawning(std::size_t item, spawner& to) noexcept override {
        for (std::size_t child = 1; item == 0 && child <= size(); ++child) {
            to.spawn(child);
        }
    }
};

} // namespace

std::unique_ptr<workload> make_empty(const workload_options& options) {
    return empty_items::make(options);
}

std::unique_ptr<workload> make_allocate(const workload_options& options) {
    return allocating_items::make(options);
}

std::unique_ptr<workload> make_within(const workload_options& options) {
    return spawned_items::make(options);
}

workload_info empty_workload() {
    return {.name = "empty",
            .summary = "items that do nothing: all of the time is the scheme's",
            .options = "--size 100..100000000 (100000)",
            .usual_size = empty_sizes.usual,
            .small_size = 20'000,
            .make = make_empty,
            .attach = empty_items::attach};
}

workload_info allocate_workload() {
    return {.name = "allocate",
            .summary = "each item fills a fresh vector of 100 ints",
            .options = "--size 100..10000000 (100000)",
            .usual_size = allocate_sizes.usual,
            .small_size = 5'000,
            .make = make_allocate,
            .attach = allocating_items::attach};
}

workload_info within_workload() {
    return {.name = "within",
            .summary = "one item hands over all others, which do nothing",
            .options = "--size 100..1000000 (100000)",
            .usual_size = within_sizes.usual,
            .small_size = 20'000,
            .make = make_within,
            .attach = spawned_items::attach};
}

} // namespace regatta::race
