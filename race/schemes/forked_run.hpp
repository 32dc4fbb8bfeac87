// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the schemes share that run workloads by forks.

#include "schemes/scheme.hpp"
#include "workloads/forked/kernels.hpp"

#include <string>

namespace regatta::race {

/// A scheme that runs a workload's form with forks, where it has one, and otherwise its items: also
/// where items are offered at a rate.
///
/// A derived class has `run_items(context)`, and `enter<Recursive>(computation)`, which calls the
/// computation where its forks are available. `Recursive`: it forks within forks.
template<class Derived, class Fork>
class forked_scheme : public scheme {
public:
    void run(run_context& context) final {
        forked_ = context.work.forks() && !context.log.offered.paced();
        auto& self = static_cast<Derived&>(*this);
        if (!forked_) {
            self.run_items(context);
        } else if (context.log.stop.load(std::memory_order_relaxed) == 0) { // Relaxed: as there.
            forked_kernels::visit<Fork>(context.work, [&self]<class Kernel>(Kernel& kernel) {
                self.template enter<Kernel::recursive>([&kernel] { kernel.template run<Fork>(); });
            });
        }
    }

    bool logs_items() const noexcept final { return !forked_; }

private:
    bool forked_ = false;
};

/// `scheme_info::obstacle` of a scheme whose forks not every workload can do with.
template<class Fork>
std::string lacks_forks(const workload& work) {
    if (work.forks() && !forked_kernels::offered_by<Fork>(work)) {
        return "it has loops alone, and " + std::string(work.name()) + " forks within forks";
    }
    return {};
}

} // namespace regatta::race
