// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A workload with all that one may have: input and output in shared memory. What goes wrong in it
// says the variable REGATTA_TEST_TROUBLE.

#include <regatta/race/item_workload.hpp>

#include <dlfcn.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace {

bool trouble(std::string_view kind) {
    const char* const wanted = std::getenv("REGATTA_TEST_TROUBLE");
    return wanted != nullptr && kind == wanted;
}

/// Another file takes the name of the one that this code is from.
void replace_this_file() {
    Dl_info about{};
    ::dladdr(reinterpret_cast<void*>(&replace_this_file), &about);
    const std::filesystem::path path = about.dli_fname;
    std::filesystem::path copy = path;
    copy += ".copy";
    std::filesystem::copy_file(path, copy);
    std::filesystem::rename(copy, path);
}

/// Prints at once, as early as can be, and at its end.
struct farewell {
    farewell() {
        if (trouble("print")) {
            std::printf("welcome\n");
            std::fflush(stdout);
        }
        if (trouble("abort when loaded")) {
            std::abort();
        }
        if (trouble("exit at load")) {
            std::exit(0);
        }
    }
    farewell(const farewell&) = delete;
    farewell& operator=(const farewell&) = delete;
    ~farewell() {
        if (trouble("print")) {
            std::printf("farewell\n");
        }
    }
};
const farewell at_the_end;

/// Overflows the stack.
std::size_t depth(std::size_t deep) {
    volatile char room[4096];
    room[deep % sizeof room] = 1;
    return deep == 0 ? 0 : depth(deep + 1) + static_cast<std::size_t>(room[deep % 2]);
}

/// An item sums up its own hundred numbers.
class shared_sums {
public:
    static constexpr regatta::workload_sizes sizes{.min = 100, .max = 1'000'000, .usual = 10'000};

    static std::size_t items(const regatta::workload_settings& s) {
        return trouble("many items") ? std::size_t{1} << 32 : s.size / numbers;
    }
    static std::size_t shared_bytes(const regatta::workload_settings& s) {
        return (s.size + s.size / numbers) * sizeof(std::uint64_t);
    }
    static regatta::workload_amount amount(const regatta::workload_settings& s) {
        return {static_cast<double>(s.size), "numbers"};
    }

    shared_sums(const regatta::workload_settings& s, std::span<std::byte> shared)
        : input_(reinterpret_cast<std::uint64_t*>(shared.data()))
        , sums_(input_ + s.size)
        , settings_(s) {
        if (trouble("make")) {
            throw std::runtime_error("no licence");
        }
        if (trouble("abort when made")) {
            std::abort();
        }
    }

    void fill() {
        filled_ = true;
        for (std::size_t i = 0; i < settings_.size; ++i) {
            input_[i] = i + settings_.seed;
        }
        if (trouble("fill")) {
            throw 1;
        }
        if (trouble("replace")) {
            replace_this_file();
        }
    }
    void run(std::size_t item) {
        if (item == 7 && trouble("throw")) {
            throw std::runtime_error("seven is refused");
        }
        if (trouble("exit")) {
            std::exit(0);
        }
        if (trouble("quick exit")) {
            std::quick_exit(0);
        }
        if (trouble("exit elsewhere")) {
            std::filesystem::current_path("elsewhere");
            std::exit(0);
        }
        // The command looks at some items before the first scheme does, up to three times.
        const bool late = item == 7 && ++sevens_ > 3;
        if ((late && trouble("segv")) || (!filled_ && trouble("segv in workers"))) {
            ::raise(SIGSEGV);
        }
        if (item == 7 && trouble("deep")) {
            static_cast<void>(depth(1));
        }
        if (late && trouble("terminate")) {
            std::thread([] { throw std::runtime_error("nobody listens"); }).join();
        }
        if (trouble("print")) {
            std::printf("item %zu\n", item);
        }
        std::uint64_t sum = 0;
        for (std::size_t i = item * numbers; i < (item + 1) * numbers; ++i) {
            sum += input_[i];
        }
        const bool elsewhere = maker_ != std::this_thread::get_id();
        const bool wrong = trouble("wrong") || (elsewhere && trouble("wrong on other threads"));
        sums_[item] = item == 3 && wrong ? 0 : sum;
    }
    void reset() {
        for (std::size_t i = 0; i < items(settings_); ++i) {
            sums_[i] = ~std::uint64_t{0};
        }
    }
    std::string verify() const {
        for (std::size_t item = 0; item < items(settings_); ++item) {
            const std::uint64_t first = item * numbers + settings_.seed;
            const std::uint64_t expected = numbers * first + numbers * (numbers - 1) / 2;
            if (sums_[item] != expected) {
                return "sum " + std::to_string(item) + " is not " + std::to_string(expected);
            }
        }
        return {};
    }

private:
    static constexpr std::size_t numbers = 100;
    std::uint64_t* input_;
    std::uint64_t* sums_;
    regatta::workload_settings settings_;
    std::thread::id maker_ = std::this_thread::get_id();
    bool filled_ = false; ///< Here, and not by another process.
    std::atomic<int> sevens_{0};
};

} // namespace

extern "C" const regatta::workload_entry* regatta_workload() {
    return regatta::workload_entry_of<shared_sums>();
}
