// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/zygote.hpp"

#include "process/kept_descriptor.hpp"
#include "process/process_pool/control_block.hpp"
#include "process/start_program.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>
#include <regatta/process/process_affinity.hpp>
#include <regatta/process/subprocess.hpp>

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace regatta::detail {
namespace {

/// How long a zygote may take for a copy, its own start included, before it is given up.
constexpr int patience_ms = 5000;

} // namespace

std::optional<subprocess> worker_zygote::start(unsigned slot, worker_slot& shared,
                                               const spawn_options& like) {
    // Made before there is a copy: there may be no memory for it.
    const std::string operation = "watch a copied worker";
    for (int tries = 0; tries < 2 && !useless_; ++tries) {
        if (!orders_) {
            launch(like);
        }
        // relaxed: there is no worker in the slot; the order publishes it.
        shared.process.store(0, std::memory_order_relaxed);
        const answer said = order(slot);
        if (said == answer::lacking) {
            return std::nullopt; // There may be enough for the next one.
        }
        if (said != answer::copied) {
            useless_ = said == answer::refused;
            end();
        }
        // acquire: as if its end were a release; the kernel wrote it before the copy ran, so that
        // it is there however the zygote has ended.
        if (const pid_t copy = shared.process.load(std::memory_order_acquire); copy > 0) {
            return subprocess(copy, open_end_of_child(copy, operation));
        }
    }
    useless_ = true;
    return std::nullopt;
}

void worker_zygote::launch(const spawn_options& like) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        fail_system(errno, "spawn '" + like.program + "': make a socket");
    }
    unique_descriptor mine = kept_descriptor(ends[0]);
    const unique_descriptor its = kept_descriptor(ends[1]);
    if (!mine || !its) {
        fail_system(errno, "spawn '" + like.program + "': make a socket");
    }
    spawn_options wanted = like;
    wanted.arguments[0] = pool_zygote_flag;
    std::string& name = wanted.arguments[2]; // Without the number of a worker.
    name.erase(name.rfind('/'));
    wanted.descriptors.push_back({its.get(), zygote_descriptor});
    process_ = spawn(wanted);
    orders_ = std::move(mine);
}

worker_zygote::answer worker_zygote::order(unsigned slot) const {
    const std::uint32_t wanted = slot;
    if (::send(orders_.get(), &wanted, sizeof wanted, MSG_NOSIGNAL) !=
        static_cast<ssize_t>(sizeof wanted)) {
        return answer::none;
    }
    using clock = std::chrono::steady_clock;
    const auto until = clock::now() + std::chrono::milliseconds(patience_ms);
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now()).count();
        pollfd waited{orders_.get(), POLLIN, 0};
        const int ready = ::poll(&waited, 1, left > 0 ? static_cast<int>(left) : 0);
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        std::int32_t error = 0;
        if (ready <= 0 || ::recv(orders_.get(), &error, sizeof error, MSG_DONTWAIT) !=
                              static_cast<ssize_t>(sizeof error)) {
            return answer::none;
        }
        return error == 0                           ? answer::copied
               : error == EAGAIN || error == ENOMEM ? answer::lacking
                                                    : answer::refused;
    }
}

void worker_zygote::bury() {
    try {
        if (process_.pidfd() < 0 || !process_.wait_for(std::chrono::seconds(0))) {
            return;
        }
    } catch (const std::exception&) {
        // Something else in this process has waited for it, also where there is no memory to say
        // so. It has ended all the same.
    }
    end();
}

void worker_zygote::end() {
    orders_.reset();
    process_ = subprocess();
}

std::optional<unsigned> serve_as_zygote(pool_control& control) {
    const pid_t parent = ::getppid();
    // What fork(3) sees to in a copy: the thread's number in the C library, and its robust mutexes.
    int* thread_number_at = nullptr;
    void* robust = nullptr;
    std::size_t robust_size = 0;
    const bool can_copy = ::prctl(PR_GET_TID_ADDRESS, &thread_number_at, 0, 0, 0) == 0 &&
                          thread_number_at != nullptr &&
                          ::syscall(SYS_get_robust_list, 0, &robust, &robust_size) == 0;
    for (;;) {
        std::uint32_t slot = 0;
        const ssize_t length = ::recv(zygote_descriptor, &slot, sizeof slot, 0);
        if (length < 0 && errno == EINTR) {
            continue;
        }
        if (length != static_cast<ssize_t>(sizeof slot) || slot >= most_workers) {
            return std::nullopt;
        }
        std::int32_t error = 0;
        if (!can_copy || threads_of(0).size() != 1) {
            error = EBUSY; // A copy has one thread, and would lack the others.
        } else {
            // CLONE_PARENT: the parent waits for the copy, which dies with the parent's thread.
            constexpr unsigned long how = CLONE_PARENT | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID |
                                          CLONE_CHILD_CLEARTID | SIGCHLD;
            static_assert(sizeof control.slots[slot].process == sizeof(pid_t));
            // The last two change places among processors; the one that is not meant is not used.
            const long copy = ::syscall(SYS_clone, how, nullptr, &control.slots[slot].process,
                                        thread_number_at, thread_number_at);
            if (copy == 0) {
                ::close(zygote_descriptor);
                ::syscall(SYS_set_robust_list, robust, robust_size);
                ::setpgid(0, 0);
                if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || ::getppid() != parent) {
                    ::_exit(127);
                }
                return slot;
            }
            error = copy < 0 ? errno : 0;
        }
        ::send(zygote_descriptor, &error, sizeof error, MSG_NOSIGNAL);
    }
}

} // namespace regatta::detail
