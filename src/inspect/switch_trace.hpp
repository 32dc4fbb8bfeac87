// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Who runs on a CPU, from the kernel's own mouth: every switch of tasks there.

#include <regatta/base/config.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if REGATTA_LINUX
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif

namespace regatta::detail {

/// One thing that the kernel told about the tasks of a CPU.
struct switch_record {
    enum class kind : std::uint8_t {
        runs,  ///< `tid` has the CPU from now on; 0: the CPU is idle.
        named, ///< `tid` has a new name.
        began, ///< `tid` was started by `other_tid`.
        ended, ///< `tid` is gone.
        lost,  ///< The kernel had no room for `count` records.
    };
    kind what = kind::runs;
    int pid = 0; ///< Of the process.
    int tid = 0; ///< Of the thread.
    /// Of `runs`: the task that had the CPU until now; of `began`: the one that started it.
    int other_pid = 0;
    int other_tid = 0;
    /// Of `runs`: that task was ready to go on. Said when it leaves, so by one record of the two.
    bool preempted = false;
    std::int64_t time_ns = 0; ///< CLOCK_MONOTONIC.
    std::uint64_t count = 0;
    std::string_view name; ///< Of `named`; valid during the visit.
};

/// A stream of `switch_record`s of one CPU, from when it was opened.
///
/// Needs root, CAP_PERFMON or `kernel.perf_event_paranoid` of 0 or less. The numbers of tasks are
/// those of the caller's PID namespace; a task outside of it has the number 0, like an idle CPU.
///
/// Threads: one, on any CPU. Blocks: never. Failure: `open` returns nothing and the error number.
/// Cost: the kernel writes two records of 40 bytes a switch; nothing while nothing switches.
/// Source: perf_event_open(2), PERF_RECORD_SWITCH_CPU_WIDE (Linux 4.3).
class switch_trace {
public:
    /// What to record: switches and the names of tasks, or the names alone.
    enum class content { switches, names };

    switch_trace(switch_trace&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1))
        , memory_(std::exchange(other.memory_, nullptr))
        , pages_(other.pages_)
        , page_(other.page_)
        , record_(std::move(other.record_)) {}
    switch_trace& operator=(switch_trace&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(memory_, other.memory_);
        std::swap(pages_, other.pages_);
        std::swap(page_, other.page_);
        std::swap(record_, other.record_);
        return *this;
    }

#if REGATTA_LINUX
    ~switch_trace() {
        if (memory_ != nullptr) {
            ::munmap(memory_, (pages_ + 1) * page_);
        }
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }

    /// Begins to record CPU `cpu`.
    /// @param error set where nothing is returned: EACCES or EPERM without the right to, ENODEV for
    /// a CPU that is off, ENOSYS or ENOENT for a kernel without it.
    static std::optional<switch_trace> open(unsigned cpu, int& error,
                                            content what = content::switches) {
        perf_event_attr attributes{};
        attributes.size = sizeof attributes;
        attributes.type = PERF_TYPE_SOFTWARE;
        attributes.config = PERF_COUNT_SW_DUMMY;
        attributes.context_switch = what == content::switches;
        attributes.comm = 1;
        attributes.task = 1;
        attributes.sample_id_all = 1;
        attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
        attributes.use_clockid = 1;
        attributes.clockid = CLOCK_MONOTONIC;
        attributes.watermark = 1; // Nobody waits for it.
        attributes.wakeup_watermark = ~0U;
        switch_trace trace;
        trace.descriptor_ =
            static_cast<int>(::syscall(SYS_perf_event_open, &attributes, -1, static_cast<int>(cpu),
                                       -1, static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
        if (trace.descriptor_ < 0) {
            error = errno;
            return std::nullopt;
        }
        trace.page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        // Half a megabyte holds the switches of 100 ms at 60 000 a second; names need little. The
        // memory that may be locked is limited without root.
        for (trace.pages_ = what == content::switches ? 128 : 8; trace.pages_ > 0;
             trace.pages_ /= 2) {
            void* const memory = ::mmap(nullptr, (trace.pages_ + 1) * trace.page_,
                                        PROT_READ | PROT_WRITE, MAP_SHARED, trace.descriptor_, 0);
            if (memory != MAP_FAILED) {
                trace.memory_ = static_cast<std::byte*>(memory);
                return trace;
            }
            error = errno;
            if (error != EPERM && error != ENOMEM) {
                break;
            }
        }
        return std::nullopt;
    }

    /// Hands every record since the last call to `visit(const switch_record&)`, in the order of
    /// time. A record that describes a moment before the call is in it, if it was that CPU on which
    /// the caller learnt of the moment.
    template<class Visit>
    void drain(Visit&& visit) {
        // The kernel's side of the page is not atomic by type; `data_head` is written by the kernel
        // alone, `data_tail` by this object alone.
        auto* const page = reinterpret_cast<perf_event_mmap_page*>(memory_);
        // acquire: partner is the kernel's barrier before it moves the head; publishes the records.
        const std::uint64_t head =
            std::atomic_ref<__u64>(page->data_head).load(std::memory_order_acquire);
        std::uint64_t tail = page->data_tail;
        while (tail != head) {
            perf_event_header header{};
            copy(&header, tail, sizeof header);
            if (header.size < sizeof header || header.size > head - tail) {
                tail = head; // It would be the kernel's mistake.
                break;
            }
            record_.resize(header.size);
            copy(record_.data(), tail, header.size);
            translate(header, visit);
            tail += header.size;
        }
        // release: partner is the kernel's read of the tail before it writes; the records were
        // read before it writes over them.
        std::atomic_ref<__u64>(page->data_tail).store(tail, std::memory_order_release);
    }

private:
    /// The end of every record but a sample: the task that it happened to, and when.
    struct sample_id {
        std::uint32_t pid, tid;
        std::uint64_t time;
    };

    void copy(void* to, std::uint64_t position, std::size_t size) const noexcept {
        const std::byte* const data = memory_ + page_;
        const std::size_t width = pages_ * page_;
        const std::size_t at = static_cast<std::size_t>(position % width);
        const std::size_t first = size < width - at ? size : width - at;
        std::memcpy(to, data + at, first);
        std::memcpy(static_cast<std::byte*>(to) + first, data, size - first);
    }

    std::uint32_t word(std::size_t index) const noexcept {
        std::uint32_t value = 0;
        std::memcpy(&value, record_.data() + sizeof(perf_event_header) + index * sizeof value,
                    sizeof value);
        return value;
    }

    template<class Visit>
    void translate(const perf_event_header& header, Visit& visit) const {
        sample_id id{};
        if (header.size < sizeof header + 8 + sizeof id) {
            return;
        }
        std::memcpy(&id, record_.data() + header.size - sizeof id, sizeof id);
        switch_record out;
        out.time_ns = static_cast<std::int64_t>(id.time);
        out.pid = number(id.pid);
        out.tid = number(id.tid);
        switch (header.type) {
        case PERF_RECORD_SWITCH_CPU_WIDE:
            // Who leaves says who comes, and who comes says who left: either may be missing.
            out.other_pid = number(word(0));
            out.other_tid = number(word(1));
            if ((header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0) {
                std::swap(out.pid, out.other_pid);
                std::swap(out.tid, out.other_tid);
                out.preempted = (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
            }
            break;
        case PERF_RECORD_COMM:
            out.what = switch_record::kind::named;
            out.pid = number(word(0));
            out.tid = number(word(1));
            out.name = reinterpret_cast<const char*>(record_.data() + sizeof header + 8);
            break;
        case PERF_RECORD_FORK:
        case PERF_RECORD_EXIT:
            out.what = header.type == PERF_RECORD_FORK ? switch_record::kind::began
                                                       : switch_record::kind::ended;
            out.pid = number(word(0));
            out.other_pid = number(word(1));
            out.tid = number(word(2));
            out.other_tid = number(word(3));
            break;
        case PERF_RECORD_LOST: // id, count
            out.what = switch_record::kind::lost;
            out.count = word(2) | std::uint64_t{word(3)} << 32;
            break;
        default:
            return;
        }
        visit(std::as_const(out));
    }

    /// A task that has just ended has the number -1.
    static int number(std::uint32_t raw) noexcept {
        return static_cast<int>(raw) < 0 ? 0 : static_cast<int>(raw);
    }
#else
    ~switch_trace() = default;
    static std::optional<switch_trace> open(unsigned, int& error, content = content::switches) {
        error = ENOTSUP;
        return std::nullopt;
    }
    template<class Visit>
    void drain(Visit&&) {}

private:
#endif
    switch_trace() = default;

    int descriptor_ = -1;
    std::byte* memory_ = nullptr; ///< The kernel's page of positions, then the ring.
    std::size_t pages_ = 0;       ///< Of the ring: a power of two.
    std::size_t page_ = 0;        ///< Bytes of one.
    std::vector<std::byte> record_;
};

} // namespace regatta::detail
