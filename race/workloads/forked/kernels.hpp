// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// All workloads that divide themselves, for the schemes that run them.

#include "workloads/forked/array_kernels.hpp"
#include "workloads/forked/fib.hpp"
#include "workloads/forked/loop_kernels.hpp"
#include "workloads/forked/matmul_tree.hpp"
#include "workloads/forked/nqueens.hpp"
#include "workloads/forked/skynet.hpp"
#include "workloads/forked/tree_sum.hpp"

namespace regatta::race {

template<class... Kernels>
struct kernel_list {
    /// Whether `Fork` has all that the workload needs.
    template<class Fork>
    static bool offered_by(const workload& work) {
        return ((runs_with<Kernels, Fork> && of<Kernels>(work)) || ...);
    }

    /// Calls `visit` with the kernel of a workload that is `offered_by<Fork>`.
    template<class Fork, class Visit>
    static void visit(workload& work, Visit&& visit) {
        static_cast<void>((visit_one<Fork, Kernels>(work, visit) || ...));
    }

    /// Calls `visit` with the `forked_workload`, for what runs its data by other code.
    template<class Visit>
    static void visit_any(workload& work, Visit&& visit) {
        static_cast<void>((visit_workload<Kernels>(work, visit) || ...));
    }

private:
    template<class Kernel, class Fork>
    static constexpr bool runs_with = requires(Kernel& kernel) {
        kernel.template run<Fork>();
    };

    template<class Kernel>
    static bool of(const workload& work) {
        return dynamic_cast<const forked_workload<Kernel>*>(&work) != nullptr;
    }

    template<class Fork, class Kernel, class Visit>
    static bool visit_one(workload& work, Visit& visit) {
        if constexpr (runs_with<Kernel, Fork>) {
            return visit_workload<Kernel>(
                work, [&visit](forked_workload<Kernel>& found) { visit(found.kernel()); });
        }
        return false;
    }

    template<class Kernel, class Visit>
    static bool visit_workload(workload& work, Visit&& visit) {
        auto* found = dynamic_cast<forked_workload<Kernel>*>(&work);
        if (found != nullptr) {
            visit(*found);
        }
        return found != nullptr;
    }
};

using forked_kernels =
    kernel_list<fib_kernel, skynet_kernel, nqueens_kernel, matmul_tree_kernel, tree_sum_kernel,
                reduce_kernel, sort_kernel, mandelbrot_kernel, triad_kernel>;

} // namespace regatta::race
