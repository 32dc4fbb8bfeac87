// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/blas.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <strings.h>

namespace regatta::race {
namespace {

constexpr const char* library_file = "libopenblas.so.0";
constexpr const char* absent_text =
    "OpenBLAS (libopenblas.so.0) is not installed; the package libopenblas0-pthread brings it";

// Values of the interface of CBLAS.
constexpr int row_major = 101;
constexpr int no_transpose = 111;
constexpr int upper = 121;

/// The code to ask for, or null where OpenBLAS may choose itself.
const char* core_for_this_processor() noexcept {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        return "SKYLAKEX";
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return "HASWELL";
    }
#endif
    return nullptr;
}

/// While an object of this exists, OpenBLAS starts no threads when it is loaded, whatever the
/// user's environment says. Afterwards the environment is the user's again, for programs started
/// later.
class one_thread_at_first {
public:
    one_thread_at_first() {
        if (const char* const users = std::getenv(variable)) {
            users_ = users;
        }
        ::setenv(variable, "1", 1);
    }
    one_thread_at_first(const one_thread_at_first&) = delete;
    one_thread_at_first& operator=(const one_thread_at_first&) = delete;
    ~one_thread_at_first() {
        if (users_) {
            ::setenv(variable, users_->c_str(), 1);
        } else {
            ::unsetenv(variable);
        }
    }

private:
    static constexpr const char* variable = "OPENBLAS_NUM_THREADS";
    std::optional<std::string> users_;
};

template<class Function>
bool look_up(void* library, const char* name, Function*& into) noexcept {
    into = reinterpret_cast<Function*>(::dlsym(library, name));
    return into != nullptr;
}

} // namespace

blas* blas::open() {
    constexpr int keep_the_users = 0;
    const char* wanted =
        std::getenv("OPENBLAS_CORETYPE") == nullptr ? core_for_this_processor() : nullptr;
    if (wanted != nullptr) {
        ::setenv("OPENBLAS_CORETYPE", wanted, keep_the_users);
    }
    ::setenv("OPENBLAS_THREAD_TIMEOUT", "20", keep_the_users); // 2^20 cycles, well under 1 ms
    // Never closed: its threads may outlive whoever would close it.
    void* library = [] {
        const one_thread_at_first only;
        return ::dlopen(library_file, RTLD_NOW | RTLD_LOCAL);
    }();
    if (library == nullptr) {
        return nullptr;
    }
    static blas only;
    char* (*configuration)() = nullptr;
    char* (*core)() = nullptr;
    if (!look_up(library, "cblas_sgemm", only.sgemm_) ||
        !look_up(library, "cblas_dgemm", only.dgemm_) ||
        !look_up(library, "cblas_dsyrk", only.dsyrk_) ||
        !look_up(library, "openblas_get_num_threads", only.get_threads_) ||
        !look_up(library, "openblas_set_num_threads", only.set_threads_) ||
        !look_up(library, "openblas_get_config", configuration) ||
        !look_up(library, "openblas_get_corename", core)) {
        return nullptr;
    }
    look_up(library, "dgesv_", only.dgesv_);
    only.set_threads_(1);
    only.configuration_ = configuration();
    only.core_ = core();
    only.core_as_requested_ = wanted == nullptr || ::strcasecmp(wanted, only.core_.c_str()) == 0;
    return &only;
}

blas* blas::find() {
    static blas* const loaded = open();
    return loaded;
}

blas& blas::load() {
    blas* const loaded = find();
    if (loaded == nullptr) {
        throw std::runtime_error(absent_text);
    }
    return *loaded;
}

std::string blas::missing() {
    return find() == nullptr ? absent_text : "";
}

void blas::set_threads(int threads) {
    if (threads <= started_) { // all of them are there: nothing to look after
        set_threads_(threads);
        return;
    }
    const auto running = [] {
        std::set<std::string> numbers;
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
            numbers.insert(task.path().filename().string());
        }
        return numbers;
    };
    const auto before = running();
    set_threads_(threads);
    const int wanted = get_threads_(); // it was built for so many at most
    // Others may end meanwhile: even threads that were joined are listed until the kernel has
    // removed them.
    const auto added = std::ranges::count_if(
        running(), [&](const std::string& number) { return !before.contains(number); });
    const int started = started_ + static_cast<int>(added);
    if (wanted > started) {
        set_threads_(1);
        throw std::runtime_error("OpenBLAS could start only " + std::to_string(started) + " of " +
                                 std::to_string(wanted) +
                                 " threads: raise the limit of memory or of processes");
    }
    started_ = std::max(started_, wanted);
    if (wanted < threads) {
        set_threads_(1);
        throw std::runtime_error("OpenBLAS was built for " + std::to_string(wanted) +
                                 " threads at most, not for " + std::to_string(threads));
    }
}

std::string blas::version() const {
    // "OpenBLAS 0.3.21 DYNAMIC_ARCH …"
    const auto begin = configuration_.find_first_of("0123456789");
    if (begin == std::string::npos) {
        return configuration_;
    }
    return configuration_.substr(begin, configuration_.find(' ', begin) - begin);
}

void blas::sgemm(std::size_t rows, std::size_t columns, std::size_t inner, const float* a,
                 const float* b, float* c) const noexcept {
    sgemm(rows, columns, inner, a, inner, b, columns, c, columns);
}

void blas::sgemm(std::size_t rows, std::size_t columns, std::size_t inner, const float* a,
                 std::size_t a_stride, const float* b, std::size_t b_stride, float* c,
                 std::size_t c_stride) const noexcept {
    sgemm_(row_major, no_transpose, no_transpose, static_cast<int>(rows), static_cast<int>(columns),
           static_cast<int>(inner), 1.0F, a, static_cast<int>(a_stride), b,
           static_cast<int>(b_stride), 0.0F, c, static_cast<int>(c_stride));
}

void blas::dgemm(std::size_t rows, std::size_t columns, std::size_t inner, const double* a,
                 const double* b, double* c) const noexcept {
    dgemm(rows, columns, inner, a, inner, b, columns, c, columns);
}

void blas::dgemm(std::size_t rows, std::size_t columns, std::size_t inner, const double* a,
                 std::size_t a_stride, const double* b, std::size_t b_stride, double* c,
                 std::size_t c_stride) const noexcept {
    dgemm_(row_major, no_transpose, no_transpose, static_cast<int>(rows), static_cast<int>(columns),
           static_cast<int>(inner), 1.0, a, static_cast<int>(a_stride), b,
           static_cast<int>(b_stride), 0.0, c, static_cast<int>(c_stride));
}

void blas::dsyrk(std::size_t n, const double* a, double* c) const noexcept {
    const int order = static_cast<int>(n);
    dsyrk_(row_major, upper, no_transpose, order, order, 1.0, a, order, 0.0, c, order);
}

bool blas::dgesv(std::size_t n, double* a, int* pivots, double* b) const noexcept {
    const int order = static_cast<int>(n);
    int status = 0;
    dgesv_(&order, &order, a, &order, pivots, b, &order, &status);
    return status == 0;
}

} // namespace regatta::race
