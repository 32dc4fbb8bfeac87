// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/python.hpp"
#include "schemes/scheme.hpp"
#include "schemes/thread_runner.hpp"
#include "workloads/forked/kernels.hpp"

#include <dlfcn.h>

#include <string>

namespace regatta::race {
namespace {

/// The functions of race/schemes/rayon/lib.rs.
struct rayon_library {
    const char* (*version)() = nullptr;
    void* (*start)(std::size_t threads) = nullptr;
    void (*end)(void* team) = nullptr;
    void (*items)(void* team, std::size_t count, void (*run)(void*, std::size_t),
                  void* context) = nullptr;
    bool (*run)(void* team, const char* name, void* data, std::size_t size,
                std::size_t items) = nullptr;
    std::string absent; ///< Not empty: it cannot be used, and why.
};

template<class Function>
bool look_up(void* library, const char* name, Function*& into) {
    into = reinterpret_cast<Function*>(::dlsym(library, name));
    return into != nullptr;
}

rayon_library load_rayon() {
    rayon_library found;
    const std::string file = made_by_bootstrap("rayon/libregatta_rayon.so");
    void* library = file.empty() ? nullptr : ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        found.absent =
            "Rayon was not built; script/bootstrap builds it for the command of the checkout, "
            "where Cargo 1.80 or newer is installed (rustup.rs) and crates.io can be reached";
    } else if (!look_up(library, "regatta_rayon_version", found.version) ||
               !look_up(library, "regatta_rayon_start", found.start) ||
               !look_up(library, "regatta_rayon_end", found.end) ||
               !look_up(library, "regatta_rayon_items", found.items) ||
               !look_up(library, "regatta_rayon_run", found.run)) {
        found.absent = std::string(::dlerror()) + "; script/bootstrap builds it anew";
    }
    return found;
}

/// Loaded when it is first asked for, and kept.
const rayon_library& rayon_functions() {
    static const rayon_library only = load_rayon();
    return only;
}

/// Items by a parallel iterator over their numbers; workloads that fork as they are written in
/// Rust. The calling thread waits, as `ThreadPool::install` has it.
class rayon final : public scheme {
public:
    ~rayon() override {
        if (team_ != nullptr) {
            rayon_functions().end(team_);
        }
    }

    void prepare(run_context& context) override {
        team_ = rayon_functions().start(context.workers);
        if (team_ == nullptr) {
            throw scheme_failure("Rayon could not start " + std::to_string(context.workers) +
                                 " threads");
        }
    }

    void run(run_context& context) override {
        forked_ = context.work.forks() && !context.log.offered.paced();
        if (!forked_) {
            thread_runners runners(context.work, context.log);
            rayon_functions().items(
                team_, context.work.items(),
                [](void* all, std::size_t item) { (*static_cast<thread_runners*>(all))(item); },
                &runners);
        } else if (context.log.stop.load(std::memory_order_relaxed) == 0) { // Relaxed: as there.
            run_forks(context.work);
        }
    }

    bool logs_items() const noexcept override { return !forked_; }

private:
    void run_forks(workload& work) {
        forked_kernels::visit_any(work, [this]<class Kernel>(forked_workload<Kernel>& one) {
            const std::string name(Kernel::title);
            if (!rayon_functions().run(team_, name.c_str(), one.data(), one.size(), one.items())) {
                throw scheme_failure("the library of Rayon does not know " + name +
                                     "; script/bootstrap builds it anew");
            }
        });
    }

    void* team_ = nullptr;
    bool forked_ = false;
};

} // namespace

scheme_info rayon_scheme() {
    return {.name = "rayon",
            .summary = "Rust's Rayon: parallel iterators, join, par_sort_unstable; a warm pool, "
                       "caller waiting",
            .suits = "loops and recursion in Rust, or beside it",
            .obstacle = [](const workload&) { return rayon_functions().absent; },
            .make = make_new<rayon>,
            .library_version =
                [] {
                    const rayon_library& found = rayon_functions();
                    return std::string(found.absent.empty() ? found.version() : "");
                },
            .reusable = true,
            .forks = true,
            .traits = {.synchronises_unseen = true}};
}

} // namespace regatta::race
