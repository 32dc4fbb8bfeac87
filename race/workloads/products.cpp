// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/products.hpp"

#include "machine/blas.hpp"
#include "workloads/element_type.hpp"
#include "workloads/matmul_reference.hpp"
#include "workloads/shared_state.hpp"
#include "workloads/whole_items.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {
namespace {

/// What the mapping begins with; then all A, all B and all C.
struct alignas(destructive_alignment) products_header {
    std::uint64_t n;
    std::uint64_t items;
    std::uint64_t seed;
    std::uint64_t element_bytes;

    static constexpr std::string_view workload = "products";
    static constexpr std::uint64_t layout = layout_hash("products v1");
    bool valid() const noexcept {
        return product_sizes.contains(n) && product_items.contains(items) &&
               (element_bytes == sizeof(float) || element_bytes == sizeof(double));
    }
    std::size_t bytes_behind() const noexcept {
        return static_cast<std::size_t>(3 * items * n * n * element_bytes);
    }
};

template<class T>
class products final : public workload {
public:
    explicit products(shared_state<products_header> memory)
        : memory_(std::move(memory))
        , library_(&blas::load())
        , n_(static_cast<std::size_t>(memory_.header().n))
        , items_(static_cast<std::size_t>(memory_.header().items))
        , a_(reinterpret_cast<T*>(memory_.data()))
        , b_(a_ + items_ * n_ * n_)
        , c_(b_ + items_ * n_ * n_)
        , references_(items_) {}

    std::string_view name() const noexcept override { return products_header::workload; }
    std::size_t items() const noexcept override { return items_; }
    amount work_of_run() const override {
        const auto n = static_cast<double>(n_);
        return {2 * n * n * n * static_cast<double>(items_) / 1e9, "GFLOP"};
    }

    void run(std::size_t item) noexcept override {
        library_->gemm(n_, n_, n_, of(a_, item), n_, of(b_, item), n_, of(c_, item), n_);
    }

    void reset() noexcept override {
        std::fill(c_, c_ + items_ * n_ * n_, std::numeric_limits<T>::quiet_NaN());
    }

    verification verify() const override {
        for (std::size_t item = 0; item < items_; ++item) {
            std::optional<matmul_reference>& reference = references_[item];
            if (!reference) {
                reference.emplace(n_, of(a_, item), of(b_, item));
            }
            if (verification checked = reference->compare(of(c_, item)); !checked.ok) {
                return {false, "item " + std::to_string(item) + ": " + checked.message};
            }
        }
        return {true, {}};
    }

    int descriptor() const noexcept override { return memory_.descriptor(); }

    bool offers_whole() const noexcept override { return true; }

    /// One product after the other, each by all of the library's threads.
    bool run_whole(unsigned workers) override { return run_items_whole(*this, workers); }

    std::vector<layout_number> layout() const override {
        return {{"n", n_},
                {"items", items_},
                {"element_bytes", sizeof(T)},
                {"a", memory_.offset_of(a_)},
                {"b", memory_.offset_of(b_)},
                {"c", memory_.offset_of(c_)}};
    }

    void fill() noexcept {
        const std::uint64_t count = std::uint64_t{2} * items_ * n_ * n_; // A, and B right behind it
        for (std::uint64_t i = 0; i < count; ++i) {
            a_[i] = element<T>(memory_.header().seed, i);
        }
        reset();
    }

private:
    T* of(T* all, std::size_t item) const noexcept { return all + item * n_ * n_; }

    shared_state<products_header> memory_;
    const blas* library_;
    std::size_t n_;
    std::size_t items_;
    T* a_;
    T* b_;
    T* c_;
    mutable std::vector<std::optional<matmul_reference>> references_; ///< Computed when needed.
};

template<class T>
std::unique_ptr<workload> made_of(shared_state<products_header> memory) {
    auto made = std::make_unique<products<T>>(std::move(memory));
    made->fill();
    return made;
}

} // namespace

std::unique_ptr<workload> make_products(const workload_options& options) {
    constexpr std::string_view name = products_header::workload;
    const std::size_t n = product_sizes.choose(name, options);
    const std::size_t items =
        product_items.check(name, "items", options.items.value_or(product_items.usual));
    const std::uint64_t bytes = element_bytes(name, options);
    auto memory = shared_state<products_header>::make({n, items, options.seed, bytes});
    return bytes == sizeof(float) ? made_of<float>(std::move(memory))
                                  : made_of<double>(std::move(memory));
}

std::unique_ptr<workload> attach_products(int descriptor) {
    auto memory = shared_state<products_header>::attach(descriptor);
    if (memory.header().element_bytes == sizeof(double)) {
        return std::make_unique<products<double>>(std::move(memory));
    }
    return std::make_unique<products<float>>(std::move(memory));
}

workload_info products_workload() {
    return {.name = "products",
            .summary = "C = A*B with OpenBLAS, a whole product an item, as numpy under Pool.map",
            .options = "--size 64..2048 (512), --items 1..256 (8), --type float|double (float), "
                       "--seed",
            .usual_size = product_sizes.usual,
            .usual_items = product_items.usual,
            .make = make_products,
            .attach = attach_products};
}

} // namespace regatta::race
