// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/worker_room.hpp"

#include <regatta/cpu/affinity.hpp>

#include <stdexcept>
#include <utility>

namespace regatta::race {
namespace {

class anywhere final : public worker_room {
public:
    void enter(unsigned) override {}
    void close() override {}
};

class pinned final : public worker_room {
public:
    explicit pinned(std::vector<unsigned> cpus) : cpus_(std::move(cpus)) {}
    // The thread ends with its sample, and its mask with it.
    void enter(unsigned worker) override { pin_this_thread(cpu_set{cpus_.at(worker)}); }
    void close() override {}

private:
    std::vector<unsigned> cpus_;
};

} // namespace

std::unique_ptr<worker_room> open_room() {
    return std::make_unique<anywhere>();
}

std::unique_ptr<worker_room> pinned_room(const room_request& request) {
    return std::make_unique<pinned>(request.worker_cpus);
}

std::unique_ptr<worker_room> exclusive_room(const room_request&) {
    throw std::runtime_error("CPUs cannot be owned yet");
}

exclusive_answer try_exclusive_room(const room_request&) {
    return {
        .available = false, .level = {}, .reason = "CPUs cannot be owned yet", .explanation = {}};
}

} // namespace regatta::race
