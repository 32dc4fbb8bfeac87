// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/worker_room.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <stdexcept>
#include <utility>

namespace regatta::race {
namespace {

cpu_set set_of(const std::vector<unsigned>& cpus) {
    cpu_set set;
    for (const unsigned cpu : cpus) {
        set |= cpu_set{cpu};
    }
    return set;
}

class anywhere final : public worker_room {
public:
    void enter(unsigned) override {}
    void enter_process(pid_t) override {}
    void close() override {}
};

class pinned final : public worker_room {
public:
    explicit pinned(std::vector<unsigned> cpus) : cpus_(std::move(cpus)) {}
    // The thread ends with its sample, and its mask with it.
    void enter(unsigned worker) override { pin_this_thread(cpu_set{cpus_.at(worker)}); }
    void enter_process(pid_t process) override { pin_thread(process, set_of(cpus_)); }
    void close() override {}

private:
    std::vector<unsigned> cpus_;
};

exclusive_options lease_options(const room_request& request) {
    return {.at_least = request.move_others ? exclusivity::swept : exclusivity::shielded,
            .move_others = request.move_others,
            .yielding = request.noise,
            .whole_processes = request.whole_process,
            .title = "regatta race isolation"};
}

class owned final : public worker_room {
public:
    explicit owned(const room_request& request)
        : cpus_(request.worker_cpus)
        , lease_(exclusive_cpus::acquire(request.cpus, lease_options(request))) {}

    void enter(unsigned worker) override {
        lease_.enter();
        // One CPU each also where the lease would let them share.
        pin_this_thread(cpu_set{cpus_.at(worker)});
    }
    void enter_process(pid_t process) override {
        lease_.enter_process(process);
        // Siblings are owned to be empty.
        pin_thread(process, set_of(cpus_));
    }

    void close() override {
        const auto breach = lease_.check();
        lease_.release();
        if (breach) {
            throw std::runtime_error("the CPUs were not owned all the time: " + *breach);
        }
    }

private:
    std::vector<unsigned> cpus_;
    exclusive_cpus lease_;
};

} // namespace

std::unique_ptr<worker_room> open_room() {
    return std::make_unique<anywhere>();
}

std::unique_ptr<worker_room> pinned_room(const room_request& request) {
    return std::make_unique<pinned>(request.worker_cpus);
}

std::unique_ptr<worker_room> exclusive_room(const room_request& request) {
    return std::make_unique<owned>(request);
}

exclusive_answer try_exclusive_room(const room_request& request) {
    exclusive_answer answer;
    exclusive_error error;
    auto lease = exclusive_cpus::try_acquire(request.cpus, lease_options(request), error);
    if (!lease) {
        answer.reason = error.text;
        return answer;
    }
    answer.level = to_string(lease->level());
    answer.explanation = lease->explain();
    answer.available = lease->try_release(answer.reason);
    return answer;
}

} // namespace regatta::race
