// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/loaded.hpp"

#include "workloads/own_library.hpp"
#include "workloads/shared_state.hpp"
#include "workloads/size_range.hpp"

#include <regatta/base/detail/printable_text.hpp>
#include <regatta/race/item_workload.hpp>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <cstring>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace regatta::race {
namespace {

/// What the mapping begins with; the memory that the workload shares follows, then the results.
struct alignas(destructive_alignment) loaded_header {
    workload_settings settings;
    std::uint64_t items;
    std::uint64_t shared_bytes;
    std::uint64_t result_bytes; ///< Of one item.
    /// The first item that failed in this run. `failed` is `one_writes` while its number and its
    /// reason are written, by whatever process, and `one_did` from then on.
    std::uint32_t failed;
    std::uint64_t failed_item;
    workload_entry::text failure;
    /// Of the file, from the root: another process may have another working directory.
    char path[PATH_MAX];
    file_stamp stamp;

    enum : std::uint32_t { none_did, one_writes, one_did };

    static constexpr std::string_view workload = "the workload";
    static constexpr std::uint64_t layout = layout_hash("loaded v1");

    /// The results begin at a line of their own.
    std::size_t results_at() const noexcept {
        return (shared_bytes + destructive_alignment - 1) / destructive_alignment *
               destructive_alignment;
    }
    /// Numbers of which the sum fits into an address.
    bool valid() const noexcept {
        constexpr std::uint64_t most = std::uint64_t{1} << 47;
        return path[sizeof path - 1] == 0 && shared_bytes < most && result_bytes < most &&
               (result_bytes == 0 || items < most / result_bytes);
    }
    std::size_t bytes_behind() const noexcept { return results_at() + items * result_bytes; }
};

/// What the workload says, without what a terminal would obey.
std::string text_of(const workload_entry::text& said) {
    return detail::printable_text(said.letters);
}

/// What a file offers.
struct loaded_file {
    std::string path; ///< From the root.
    std::string name; ///< As the command line has it.
    std::string options;
    file_stamp stamp{};
    const workload_entry* entry = nullptr;
    workload_info info{};

    size_range sizes() const { return {entry->sizes.min, entry->sizes.max, entry->sizes.usual}; }
    /// What the workload has written, as the reason of a failure.
    std::string say(std::string_view what, const workload_entry::text& why) const {
        return name + ": " + std::string(what) + ": " + text_of(why);
    }
};

class loaded final : public workload {
public:
    loaded(const loaded_file& file, shared_state<loaded_header> memory)
        : file_(file)
        , entry_(*file.entry)
        , memory_(std::move(memory))
        , header_(memory_.header())
        , results_(memory_.data() + header_.results_at()) {
        workload_entry::text why{};
        const own_code_scope at("the workload's own code, in the constructor");
        own_ = entry_.make(&header_.settings, memory_.data(),
                           static_cast<std::size_t>(header_.shared_bytes), &why);
        if (own_ == nullptr) {
            throw std::runtime_error(file.say("it could not be made", why));
        }
    }
    ~loaded() override {
        const own_code_scope at("the workload's own code, in the destructor");
        entry_.end(own_);
    }

    void fill() {
        workload_entry::text why{};
        {
            const own_code_scope at("the workload's own code, in fill()");
            if (!entry_.fill(own_, &why)) {
                throw std::runtime_error(file_.say("fill() failed", why));
            }
        }
        reset();
    }

    std::string_view name() const noexcept override { return file_.name; }
    std::size_t items() const noexcept override { return static_cast<std::size_t>(header_.items); }
    amount work_of_run() const override {
        workload_entry::plan plan{};
        workload_entry::text why{};
        if (!entry_.make_plan(&header_.settings, &plan, &why)) {
            throw std::runtime_error(file_.say("amount() failed", why));
        }
        unit_ = detail::printable_text(plan.amount.unit);
        return {plan.amount.value, unit_};
    }

    void run(std::size_t item) noexcept override {
        workload_entry::text why{};
        const own_code_scope at("the workload's own code, in run()", item);
        if (!entry_.run(own_, item, results_ + item * header_.result_bytes, &why)) {
            note_failure(item, why);
        }
    }

    void reset() noexcept override {
        std::memset(results_, 0xA5, items() * header_.result_bytes);
        const own_code_scope at("the workload's own code, in reset()");
        reset_failed_ = !entry_.reset(own_, &reset_failure_);
        // relaxed: the workers of the next run are told of it by what starts them.
        failed().store(loaded_header::none_did, std::memory_order_relaxed);
    }

    verification verify() const override {
        if (reset_failed_) {
            return {false, file_.say("reset() failed", reset_failure_)};
        }
        // acquire: partner is the release in note_failure().
        if (failed().load(std::memory_order_acquire) != loaded_header::none_did) {
            return {false, "item " + std::to_string(header_.failed_item) +
                               " threw: " + text_of(header_.failure)};
        }
        workload_entry::text why{};
        const own_code_scope at("the workload's own code, in the verification");
        const bool right = entry_.verify(own_, results_, items(), &why);
        return {right, text_of(why)};
    }

    int descriptor() const noexcept override { return memory_.descriptor(); }

private:
    std::atomic_ref<std::uint32_t> failed() const noexcept {
        return std::atomic_ref(header_.failed);
    }

    /// Keeps the first failure of the run.
    void note_failure(std::size_t item, const workload_entry::text& why) noexcept {
        std::uint32_t none = loaded_header::none_did;
        // relaxed: only says who writes.
        if (failed().compare_exchange_strong(none, loaded_header::one_writes,
                                             std::memory_order_relaxed)) {
            header_.failed_item = item;
            header_.failure = why;
            // release: partner is the acquire in verify().
            failed().store(loaded_header::one_did, std::memory_order_release);
        }
    }

    const loaded_file& file_;
    const workload_entry& entry_;
    shared_state<loaded_header> memory_;
    loaded_header& header_;
    std::byte* results_;
    void* own_ = nullptr;
    mutable std::string unit_{}; ///< As it may be shown.
    workload_entry::text reset_failure_{};
    bool reset_failed_ = false;
};

std::unique_ptr<workload> make_loaded(const loaded_file& file, const workload_options& options) {
    const workload_settings settings{file.sizes().choose(file.name, options), options.seed};
    workload_entry::plan plan{};
    workload_entry::text why{};
    if (!file.entry->make_plan(&settings, &plan, &why)) {
        throw std::runtime_error(file.say("what it needs could not be told", why));
    }
    loaded_header header{};
    header.settings = settings;
    header.items = plan.items;
    header.shared_bytes = plan.shared_bytes;
    header.result_bytes = file.entry->result_bytes;
    file.path.copy(header.path, sizeof header.path - 1);
    header.stamp = file.stamp;
    if (plan.amount.unit == nullptr ||
        !(plan.amount.value >= 0 && std::isfinite(plan.amount.value))) {
        throw std::invalid_argument(file.name +
                                    ": amount() has no unit, or is negative or no number");
    }
    // A message has 32 bits for the number of an item. The largest stands for none.
    constexpr std::uint64_t most_items = 0xffff'ffff;
    if (plan.items == 0 || plan.items > most_items) {
        throw std::invalid_argument(file.name + ": " + std::to_string(plan.items) +
                                    " items are out of range; allowed are 1 to " +
                                    std::to_string(most_items));
    }
    if (!header.valid()) {
        throw std::invalid_argument(file.name + ": " + std::to_string(plan.items) + " items with " +
                                    std::to_string(header.result_bytes) + " bytes each and " +
                                    std::to_string(header.shared_bytes) +
                                    " shared ones are out of range");
    }
    auto made = std::make_unique<loaded>(file, shared_state<loaded_header>::make(header));
    made->fill();
    return made;
}

/// Why there is no workload in it, or nothing.
std::string open(loaded_file& file) {
    const own_code_scope at("the workload's own code, in what runs when it is loaded");
    std::string why;
    file.entry = entry_of_library<workload_entry>(file.path, "regatta_workload",
                                                  "regatta/race/item_workload.hpp", why);
    if (file.entry == nullptr) {
        return why;
    }
    const workload_sizes sizes = file.entry->sizes;
    if (sizes.min > sizes.usual || sizes.usual > sizes.max) {
        return "its usual size " + std::to_string(sizes.usual) + " is not within its sizes " +
               std::to_string(sizes.min) + " to " + std::to_string(sizes.max);
    }
    return {};
}

void describe(loaded_file& file) {
    const size_range sizes = file.sizes();
    file.options = "--size " + std::to_string(sizes.min) + ".." + std::to_string(sizes.max) + " (" +
                   std::to_string(sizes.usual) + ")";
    if (file.entry->takes_settings) {
        file.options += ", --seed";
    }
    file.info = {.name = file.name,
                 .summary = "a workload of your own",
                 .options = file.options,
                 .usual_size = sizes.usual,
                 .make = [&file](const workload_options& o) { return make_loaded(file, o); },
                 .attach = attach_loaded};
}

/// All that were loaded.
struct loaded_files {
    std::mutex mutex;
    std::list<loaded_file> files; ///< Their addresses stay.
};

loaded_files& all_loaded() {
    static loaded_files all;
    return all;
}

/// Loads it where that has not been done.
const loaded_file& file_at(const std::string& path) {
    auto& [mutex, files] = all_loaded();
    const std::string whole = path_from_root(path);
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(files, whole, &loaded_file::path);
    if (found != files.end()) {
        return *found;
    }
    loaded_file file{.path = whole,
                     .name = detail::printable_text(path),
                     .options = {},
                     .stamp = stamp_of(whole)};
    if (const std::string why = open(file); !why.empty()) {
        throw std::runtime_error(path + " is no workload: " + why);
    }
    describe(files.emplace_back(std::move(file)));
    return files.back();
}

} // namespace

std::unique_ptr<workload> attach_loaded(int descriptor) {
    auto memory = shared_state<loaded_header>::attach(descriptor);
    const loaded_file& file = file_at(memory.header().path);
    if (file.stamp != memory.header().stamp) {
        throw std::runtime_error(file.path + " has changed since the race began");
    }
    return std::make_unique<loaded>(file, std::move(memory));
}

const workload_info& load_workload(const std::string& path) {
    return file_at(path).info;
}

} // namespace regatta::race
