// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/switch_trace.hpp"

#include "process/time_namespace.hpp"
#include <regatta/base/detail/monotonic_ns.hpp>

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

namespace regatta::detail {

switch_trace& switch_trace::operator=(switch_trace&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(clock_offset_ns_, other.clock_offset_ns_);
    std::swap(memory_, other.memory_);
    std::swap(pages_, other.pages_);
    std::swap(page_, other.page_);
    std::swap(presumed_lost_, other.presumed_lost_);
    std::swap(record_, other.record_);
    return *this;
}

switch_trace::~switch_trace() {
    if (memory_ != nullptr) {
        ::munmap(memory_, (pages_ + 1) * page_);
    }
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

std::optional<switch_trace> switch_trace::open(unsigned cpu, int& error, content what) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_DUMMY;
    attributes.context_switch = what == content::switches;
    attributes.comm = 1;
    attributes.task = 1;
    attributes.sample_id_all = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
    attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
    attributes.use_clockid = 1;
    attributes.clockid = CLOCK_MONOTONIC;
    attributes.watermark = 1; // No thread waits for it.
    attributes.wakeup_watermark = ~0U;
    switch_trace trace;
    trace.clock_offset_ns_ = time_namespace_offset_ns("monotonic");
    trace.descriptor_ =
        static_cast<int>(::syscall(SYS_perf_event_open, &attributes, -1, static_cast<int>(cpu), -1,
                                   static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
    if (trace.descriptor_ < 0) {
        error = errno;
        return std::nullopt;
    }
    trace.page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    // Half a megabyte holds the switches of 100 ms at 60 000 a second; names need little. Without
    // root the size of locked memory is limited.
    for (trace.pages_ = what == content::switches ? 128 : 8; trace.pages_ > 0; trace.pages_ /= 2) {
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

void switch_trace::drain(const std::function<void(const switch_record&)>& visit) {
    // The fields of the kernel's page are not atomic types. Only the kernel writes `data_head`,
    // only this object writes `data_tail`.
    auto* const page = reinterpret_cast<perf_event_mmap_page*>(memory_);
    // acquire: partner is the kernel's barrier before it moves the head; publishes the records.
    const std::uint64_t head =
        std::atomic_ref<__u64>(page->data_head).load(std::memory_order_acquire);
    std::uint64_t tail = page->data_tail;
    const bool full = head - tail + longest_record > pages_ * page_;
    while (tail != head) {
        perf_event_header header{};
        copy(&header, tail, sizeof header);
        if (header.size < sizeof header || header.size > head - tail) {
            tail = head; // Malformed: skip the rest.
            break;
        }
        record_.resize(header.size);
        copy(record_.data(), tail, header.size);
        translate(header, visit);
        tail += header.size;
    }
    if (full && !std::exchange(presumed_lost_, true)) {
        // The kernel tells of losses with the next record, and there may be none.
        switch_record lost;
        lost.what = switch_record::kind::lost;
        lost.count = 1;
        visit(lost);
    }
    // release: partner is the kernel's read of the tail before it writes. The records were read
    // before the kernel overwrites them.
    std::atomic_ref<__u64>(page->data_tail).store(tail, std::memory_order_release);
}

bool switch_trace::records() const noexcept {
    const auto recorded_ns = [this] {
        std::uint64_t values[2] = {}; // A count, and the time.
        return ::read(descriptor_, values, sizeof values) == sizeof values ? values[1] : 0;
    };
    const std::uint64_t first = recorded_ns();
    const std::int64_t patience = monotonic_ns() + 50'000'000; // The kernel's clock may be coarse.
    bool grows = false;
    while (!grows && monotonic_ns() < patience) {
        grows = recorded_ns() > first;
    }
    return grows;
}

void switch_trace::copy(void* to, std::uint64_t position, std::size_t size) const noexcept {
    const std::byte* const data = memory_ + page_;
    const std::size_t width = pages_ * page_;
    const std::size_t at = static_cast<std::size_t>(position % width);
    const std::size_t first = size < width - at ? size : width - at;
    std::memcpy(to, data + at, first);
    std::memcpy(static_cast<std::byte*>(to) + first, data, size - first);
}

std::uint32_t switch_trace::word(std::size_t index) const noexcept {
    std::uint32_t value = 0;
    std::memcpy(&value, record_.data() + sizeof(perf_event_header) + index * sizeof value,
                sizeof value);
    return value;
}

void switch_trace::translate(const perf_event_header& header,
                             const std::function<void(const switch_record&)>& visit) {
    sample_id id{};
    if (header.size < sizeof header + 8 + sizeof id) {
        return;
    }
    std::memcpy(&id, record_.data() + header.size - sizeof id, sizeof id);
    switch_record out;
    out.time_ns = static_cast<std::int64_t>(id.time) + clock_offset_ns_;
    out.pid = number(id.pid);
    out.tid = number(id.tid);
    switch (header.type) {
    case PERF_RECORD_SWITCH_CPU_WIDE:
        // The record of the leaving task names the next one, and the record of the next task names
        // the previous one. Either may be missing.
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
        out.count -= std::exchange(presumed_lost_, false) && out.count > 0 ? 1 : 0;
        break;
    default:
        return;
    }
    visit(out);
}

int switch_trace::number(std::uint32_t raw) noexcept {
    return static_cast<int>(raw) < 0 ? 0 : static_cast<int>(raw);
}

} // namespace regatta::detail
