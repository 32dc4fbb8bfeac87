// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/stream.hpp"

#include "machine/control_group.hpp"
#include "machine/memory_state.hpp"
#include "workloads/shared_state.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>

namespace regatta::race {
namespace {

constexpr double factor = 3.0;

/// Elements of b and c: small whole numbers, so that the triad is exact with a fused operation and
/// without, and each block of a differs from its neighbours.
double element_of_b(std::size_t i) noexcept {
    return static_cast<double>((i ^ i / stream_block) & 0xffff);
}
double element_of_c(std::size_t i) noexcept {
    return static_cast<double>(i / 8 & 0xfff);
}

/// What the mapping begins with; the arrays a, b and c follow.
struct alignas(destructive_alignment) stream_header {
    std::uint64_t blocks;

    static constexpr std::string_view workload = "stream";
    static constexpr std::uint64_t layout = layout_hash("stream v1");
    bool valid() const noexcept { return stream_sizes.contains(blocks); }
    std::size_t bytes_behind() const noexcept {
        return 3 * static_cast<std::size_t>(blocks) * stream_block * sizeof(double);
    }
};

class stream final : public workload {
public:
    explicit stream(shared_state<stream_header> memory)
        : memory_(std::move(memory))
        , a_(reinterpret_cast<double*>(memory_.data()))
        , b_(a_ + elements())
        , c_(b_ + elements()) {}

    std::string_view name() const noexcept override { return stream_header::workload; }
    std::size_t items() const noexcept override {
        return static_cast<std::size_t>(memory_.header().blocks);
    }

    /// What the program reads and writes: 24 bytes an element. What a cache reads of `a` before it
    /// is overwritten does not count.
    amount work_of_run() const override {
        return {static_cast<double>(3 * sizeof(double) * elements()) / 1e9, "GB"};
    }

    void run(std::size_t item) noexcept override {
        double* __restrict a = a_ + item * stream_block;
        const double* b = b_ + item * stream_block;
        const double* c = c_ + item * stream_block;
        for (std::size_t i = 0; i < stream_block; ++i) {
            a[i] = b[i] + factor * c[i];
        }
    }

    void reset() noexcept override {
        std::fill(a_, a_ + elements(), std::numeric_limits<double>::quiet_NaN());
    }

    verification verify() const override {
        for (std::size_t block = 0; block < items(); ++block) {
            std::size_t wrong = 0;
            for (std::size_t i = block * stream_block; i < (block + 1) * stream_block; ++i) {
                wrong += a_[i] == expected(i) ? 0 : 1;
            }
            if (wrong != 0) {
                return {false, describe(block)};
            }
        }
        return {true, {}};
    }

    int descriptor() const noexcept override { return memory_.descriptor(); }

    void fill() noexcept {
        for (std::size_t i = 0; i < elements(); ++i) {
            b_[i] = element_of_b(i);
            c_[i] = element_of_c(i);
        }
        reset();
    }

private:
    std::size_t elements() const noexcept { return items() * stream_block; }

    static double expected(std::size_t i) noexcept {
        return element_of_b(i) + factor * element_of_c(i);
    }

    /// The first wrong element of a block.
    std::string describe(std::size_t block) const {
        std::size_t i = block * stream_block;
        while (a_[i] == expected(i)) {
            ++i;
        }
        char text[96];
        std::snprintf(text, sizeof text, "a[%zu] of item %zu is %.9g, expected %.9g", i, block,
                      a_[i], expected(i));
        return text;
    }

    shared_state<stream_header> memory_;
    double* a_;
    double* b_;
    double* c_;
};

/// Where memory is out the kernel may end this process rather than refuse it the arrays.
void refuse_beyond(std::uint64_t available, std::size_t blocks) {
    const std::size_t mebibytes = 3 * blocks;
    if (available >> 20 <= mebibytes) {
        throw std::invalid_argument("stream: size " + std::to_string(blocks) + " needs " +
                                    std::to_string(mebibytes) +
                                    " MiB of memory for its three arrays; " +
                                    std::to_string(available >> 20) + " MiB are available");
    }
}

} // namespace

std::uint64_t stream_memory_available(const std::string& root) {
    constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
    const control_group group = read_control_group(root);
    const std::uint64_t limit = group.memory_limit_bytes.value_or(unknown);
    return std::min(read_memory_state(root).available_bytes.value_or(unknown),
                    limit - std::min(limit, group.memory_used_bytes.value_or(0)));
}

std::unique_ptr<workload> make_stream(const workload_options& options) {
    const std::size_t blocks = stream_sizes.choose(stream_header::workload, options);
    refuse_beyond(stream_memory_available(), blocks);
    auto made = std::make_unique<stream>(shared_state<stream_header>::make({blocks}));
    made->fill();
    return made;
}

std::unique_ptr<workload> attach_stream(int descriptor) {
    return std::make_unique<stream>(shared_state<stream_header>::attach(descriptor));
}

workload_info stream_workload() {
    return {.name = "stream",
            .summary = "a[i] = b[i] + s*c[i] over long arrays: all of the time is the memory's",
            .options = "--size 1..16384 (256)",
            .usual_size = stream_sizes.usual,
            .small_size = 1,
            .make = make_stream,
            .attach = attach_stream};
}

} // namespace regatta::race
