// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// OpenBLAS, loaded when it is first used, so that a run that does not use it pays neither memory
/// nor threads for it.

#include <cstddef>
#include <string>

namespace regatta::race {

/// The part of OpenBLAS that the race uses: products of row-major matrices, and solutions.
///
/// Threads: `sgemm`, `dgemm`, `dsyrk` and `dgesv` from any number of threads at once while
/// `threads()` is 1; the rest belongs to the one thread that drives the race.
class blas {
public:
    /// The library, loaded at the first call; null where it is not installed.
    ///
    /// It has one thread at first, whatever OPENBLAS_NUM_THREADS says; more are started by
    /// `set_threads`. Before loading it sets, where the user did not: OPENBLAS_CORETYPE from what
    /// the processor says it can do (OpenBLAS 0.3.21 falls back to its oldest code on processors
    /// that it has not heard of), and OPENBLAS_THREAD_TIMEOUT, so that its threads do not spin on
    /// into the next scheme's run.
    static blas* find();
    /// The library. Throws `std::runtime_error` that names the package where it is not installed.
    static blas& load();
    /// Why it cannot be used, with the package that brings it; empty where it can.
    static std::string missing();

    blas(const blas&) = delete;
    blas& operator=(const blas&) = delete;

    /// C = A·B for row-major A (rows × inner), B (inner × columns), all contiguous.
    void sgemm(std::size_t rows, std::size_t columns, std::size_t inner, const float* a,
               const float* b, float* c) const noexcept;
    /// The same where the rows lie `a_stride`, `b_stride` and `c_stride` elements apart.
    void sgemm(std::size_t rows, std::size_t columns, std::size_t inner, const float* a,
               std::size_t a_stride, const float* b, std::size_t b_stride, float* c,
               std::size_t c_stride) const noexcept;
    /// The same in double precision.
    void dgemm(std::size_t rows, std::size_t columns, std::size_t inner, const double* a,
               const double* b, double* c) const noexcept;
    void dgemm(std::size_t rows, std::size_t columns, std::size_t inner, const double* a,
               std::size_t a_stride, const double* b, std::size_t b_stride, double* c,
               std::size_t c_stride) const noexcept;
    /// Either of them, by the type of the elements.
    void gemm(std::size_t rows, std::size_t columns, std::size_t inner, const float* a,
              std::size_t a_stride, const float* b, std::size_t b_stride, float* c,
              std::size_t c_stride) const noexcept {
        sgemm(rows, columns, inner, a, a_stride, b, b_stride, c, c_stride);
    }
    void gemm(std::size_t rows, std::size_t columns, std::size_t inner, const double* a,
              std::size_t a_stride, const double* b, std::size_t b_stride, double* c,
              std::size_t c_stride) const noexcept {
        dgemm(rows, columns, inner, a, a_stride, b, b_stride, c, c_stride);
    }
    /// The upper triangle of C = A·Aᵀ for a row-major A of n × n; what is below the diagonal of C
    /// stays as it is.
    void dsyrk(std::size_t n, const double* a, double* c) const noexcept;

    /// Whether it has LAPACK in it, as Debian's has: `dgesv` needs that.
    bool solves() const noexcept { return dgesv_ != nullptr; }
    /// Solves A·X = B for column-major matrices of n × n: the factors L and U replace A, and X
    /// replaces B. `pivots` has room for n numbers.
    /// @returns false where A is singular.
    bool dgesv(std::size_t n, double* a, int* pivots, double* b) const noexcept;

    /// How many threads its next product uses.
    int threads() const noexcept { return get_threads_(); }
    /// Sets that number and starts the threads that are wanting. 1 leaves them asleep.
    /// Throws `std::runtime_error` if the library was built for fewer threads, or if the system
    /// gives fewer. OpenBLAS does not notice the latter: its next product would wait without end.
    void set_threads(int threads);

    /// What the library says of its own build, its version included.
    const std::string& configuration() const noexcept { return configuration_; }
    /// The version alone, as "0.3.21".
    std::string version() const;
    /// The processor whose code it runs, as "SkylakeX".
    const std::string& core() const noexcept { return core_; }
    /// True where it runs the code that `find` asked for (or none was asked for).
    bool core_as_requested() const noexcept { return core_as_requested_; }

private:
    blas() = default;
    static blas* open();

    using sgemm_function = void(int, int, int, int, int, int, float, const float*, int,
                                const float*, int, float, float*, int);
    using dgemm_function = void(int, int, int, int, int, int, double, const double*, int,
                                const double*, int, double, double*, int);
    using dsyrk_function = void(int, int, int, int, int, double, const double*, int, double,
                                double*, int);
    using dgesv_function = void(const int*, const int*, double*, const int*, int*, double*,
                                const int*, int*);
    sgemm_function* sgemm_ = nullptr;
    dgemm_function* dgemm_ = nullptr;
    dsyrk_function* dsyrk_ = nullptr;
    dgesv_function* dgesv_ = nullptr;
    int (*get_threads_)() = nullptr;
    void (*set_threads_)(int) = nullptr;
    std::string configuration_;
    std::string core_;
    bool core_as_requested_ = true;
    int started_ = 1; ///< Threads that are known to be there, the caller's included.
};

} // namespace regatta::race
