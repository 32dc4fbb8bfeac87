// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/matmul.hpp"

#include "machine/blas.hpp"
#include "workloads/element_type.hpp"
#include "workloads/matmul_kernels.hpp"
#include "workloads/matmul_reference.hpp"

#include <regatta/base/cache_line.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/process/shared_memory.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

namespace regatta::race {
namespace {

template<class T>
void matmul_blas(std::size_t n, const matmul_block& block, const T* a, const T* b, T* c) noexcept {
    blas::find()->gemm(block.rows, block.columns, n, a + block.row * n, n, b + block.column, n,
                       c + block.row * n + block.column, n);
}

matmul_block_size one_row(std::size_t n) noexcept {
    return {1, n};
}

/// So many rows that copying B counts little, and few columns so that there are enough items.
matmul_block_size tall_blocks(std::size_t) noexcept {
    return {64, 256};
}

matmul_block_size one_for_each_cpu(std::size_t n) noexcept {
    return matmul_library_blocks(n, available_cpus());
}

/// How one kernel is called and how much of C it gets at once.
struct kernel_entry {
    std::string_view name;
    matmul_kernel* function;
    matmul_double_kernel* of_double; ///< The same for `double`. Null: the kernel has no such form.
    matmul_block_size (*block)(std::size_t n) noexcept;
};
constexpr kernel_entry kernels[] = {
    {"naive", matmul_naive, matmul_naive_double, one_row},
    {"tiled", matmul_tiled, nullptr, tall_blocks},
    {"blas", matmul_blas<float>, matmul_blas<double>, one_for_each_cpu},
};
constexpr std::uint64_t blas_kernel = 2;

/// What the mapping begins with; the matrices A, B and C follow, one after the other.
struct alignas(destructive_alignment) matmul_header {
    std::uint64_t n;
    std::uint64_t kernel; ///< Index into `kernels`.
    std::uint64_t seed;
    std::uint64_t block_rows; ///< Of an item, but for those at the edges.
    std::uint64_t block_columns;
    std::uint64_t element_bytes;

    bool valid() const noexcept {
        return kernel < std::size(kernels) &&
               (element_bytes == sizeof(float) ||
                (element_bytes == sizeof(double) && kernels[kernel].of_double != nullptr)) &&
               matmul_sizes.contains(n) && block_rows >= 1 && block_rows <= n &&
               block_columns >= 1 && block_columns <= n;
    }
};
constexpr std::uint64_t matmul_layout = layout_hash<matmul_header>("matmul v3");

matmul_header* header_of(const shared_memory& memory) noexcept {
    return reinterpret_cast<matmul_header*>(memory.data());
}

std::size_t bytes_for(std::size_t n, std::size_t element_bytes) noexcept {
    return sizeof(matmul_header) + 3 * n * n * element_bytes;
}

template<class T>
class matmul final : public workload {
public:
    explicit matmul(shared_memory memory) : memory_(std::move(memory)) {
        const matmul_header& header = *header_of(memory_);
        n_ = static_cast<std::size_t>(header.n);
        kernel_ = &kernels[header.kernel];
        if constexpr (sizeof(T) == sizeof(float)) {
            function_ = kernel_->function;
        } else {
            function_ = kernel_->of_double;
        }
        block_ = {static_cast<std::size_t>(header.block_rows),
                  static_cast<std::size_t>(header.block_columns)};
        across_ = (n_ + block_.columns - 1) / block_.columns;
        a_ = reinterpret_cast<T*>(memory_.data() + sizeof(matmul_header));
        b_ = a_ + n_ * n_;
        c_ = b_ + n_ * n_;
        if (header.kernel == blas_kernel) {
            blas::load();
        }
    }

    std::string_view name() const noexcept override { return "matmul"; }

    std::size_t items() const noexcept override {
        return (n_ + block_.rows - 1) / block_.rows * across_;
    }

    amount work_of_run() const override {
        const auto n = static_cast<double>(n_);
        return {2 * n * n * n / 1e9, "GFLOP"};
    }

    void run(std::size_t item) noexcept override {
        const std::size_t row = item / across_ * block_.rows;
        const std::size_t column = item % across_ * block_.columns;
        function_(
            n_,
            {row, std::min(block_.rows, n_ - row), column, std::min(block_.columns, n_ - column)},
            a_, b_, c_);
    }

    void reset() noexcept override {
        std::fill(c_, c_ + n_ * n_, std::numeric_limits<T>::quiet_NaN());
    }

    verification verify() const override {
        if (!reference_) {
            reference_.emplace(n_, a_, b_);
        }
        return reference_->compare(c_);
    }

    int descriptor() const noexcept override { return memory_.descriptor(); }

    std::vector<layout_number> layout() const override {
        if (kernel_ != &kernels[blas_kernel]) {
            return {}; // elsewhere it would be another code that computes
        }
        const auto offset = [this](const T* of) {
            const auto* begin = reinterpret_cast<const std::byte*>(of);
            return shared_memory::header_size + static_cast<std::uint64_t>(begin - memory_.data());
        };
        return {{"n", n_},
                {"block_rows", block_.rows},
                {"block_columns", block_.columns},
                {"a", offset(a_)},
                {"b", offset(b_)},
                {"c", offset(c_)},
                {"element_bytes", sizeof(T)}};
    }

    bool offers_whole() const noexcept override { return true; }

    bool run_whole(unsigned workers) override {
        blas& library = blas::load();
        library.set_threads(static_cast<int>(workers));
        library.gemm(n_, n_, n_, a_, n_, b_, n_, c_, n_);
        library.set_threads(1);
        return true;
    }

    void fill(std::uint64_t seed) noexcept {
        const std::uint64_t count = std::uint64_t{2} * n_ * n_; // A, and B right behind it
        for (std::uint64_t i = 0; i < count; ++i) {
            a_[i] = element<T>(seed, i);
        }
        reset();
    }

private:
    shared_memory memory_;
    std::size_t n_ = 0;
    const kernel_entry* kernel_ = nullptr;
    matmul_block_size block_{};
    std::size_t across_ = 1; ///< Blocks side by side.
    void (*function_)(std::size_t, const matmul_block&, const T*, const T*, T*) noexcept = nullptr;
    T* a_ = nullptr;
    T* b_ = nullptr;
    T* c_ = nullptr;
    mutable std::optional<matmul_reference> reference_; ///< Computed when first needed.
};

std::uint64_t kernel_index(const std::string& name) {
    std::string known;
    for (const kernel_entry& entry : kernels) {
        if (entry.name == name) {
            return static_cast<std::uint64_t>(&entry - kernels);
        }
        known += known.empty() ? "" : ", ";
        known += entry.name;
    }
    throw std::invalid_argument("matmul: unknown kernel \"" + name + "\"; there are " + known);
}

shared_memory memory_for(std::size_t n, std::size_t element_bytes) {
    const std::size_t bytes = bytes_for(n, element_bytes);
    try {
        return shared_memory::anonymous("regatta-matmul", bytes, matmul_layout);
    } catch (const std::system_error& error) {
        throw std::system_error(error.code(),
                                "matmul: no room for " + std::to_string(bytes >> 10) +
                                    " KiB of shared memory (three matrices of " +
                                    std::to_string(n) + " × " + std::to_string(n) +
                                    (element_bytes == sizeof(float) ? " floats)" : " doubles)"));
    }
}

template<class T>
std::unique_ptr<workload> made_of(shared_memory memory, std::uint64_t seed) {
    auto made = std::make_unique<matmul<T>>(std::move(memory));
    made->fill(seed);
    return made;
}

} // namespace

matmul_block_size matmul_library_blocks(std::size_t n, std::size_t cpus) noexcept {
    std::size_t down = 1;
    for (std::size_t divisor = 2; divisor * divisor <= cpus; ++divisor) {
        down = cpus % divisor == 0 ? divisor : down;
    }
    const auto part = [n](std::size_t count) {
        constexpr std::size_t step = 16; // the library computes so many at once, or fewer
        constexpr std::size_t least = 64;
        const std::size_t even = (n + count - 1) / count;
        return std::min(n, std::max(least, (even + step - 1) / step * step));
    };
    return {part(down), part(cpus / down)};
}

std::unique_ptr<workload> make_matmul(const workload_options& options) {
    const std::size_t n = matmul_sizes.choose("matmul", options);
    const std::uint64_t kernel = kernel_index(options.kernel);
    const std::uint64_t bytes = element_bytes("matmul", options);
    if (bytes == sizeof(double) && kernels[kernel].of_double == nullptr) {
        throw std::invalid_argument("matmul: the kernel " + options.kernel +
                                    " computes with float only; of double there are naive, blas");
    }
    shared_memory memory = memory_for(n, bytes);
    const matmul_block_size block = kernels[kernel].block(n);
    *header_of(memory) = {
        n, kernel, options.seed, std::min(n, block.rows), std::min(n, block.columns), bytes};
    return bytes == sizeof(float) ? made_of<float>(std::move(memory), options.seed)
                                  : made_of<double>(std::move(memory), options.seed);
}

std::unique_ptr<workload> attach_matmul(int descriptor) {
    shared_memory memory = shared_memory::attach(descriptor, matmul_layout);
    const matmul_header* header = header_of(memory);
    if (memory.size() < sizeof(matmul_header) || !header->valid() ||
        memory.size() < bytes_for(header->n, header->element_bytes)) {
        throw std::runtime_error("matmul: the shared memory does not hold its matrices");
    }
    if (header->element_bytes == sizeof(double)) {
        return std::make_unique<matmul<double>>(std::move(memory));
    }
    return std::make_unique<matmul<float>>(std::move(memory));
}

workload_info matmul_workload() {
    return {.name = "matmul",
            .summary = "C = A*B, square matrices; an item is one row or a few",
            .options =
                "--size 64..2048 (512), --kernel naive|tiled|blas (naive), --type float|double "
                "(float), --seed",
            .usual_size = matmul_sizes.usual,
            .small_size = 64,
            .make = make_matmul,
            .attach = attach_matmul};
}

} // namespace regatta::race
