// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whole lines from many threads to one stream.

#include <regatta/base/config.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <iostream>
#include <mutex>
#include <ostream>
#include <sstream>
#include <syncstream>

namespace regatta {

/// Writes the text of each call or expression in one piece, even if several threads write at once.
///
/// ```cpp
/// regatta::sync_stream out;                       // std::cout
/// out.println("row ", 7, " has ", 12.5);
/// out() << std::hex << 255 << '\n';               // in one piece, when the expression ends
/// out.redirect(file);
/// ```
///
/// It first builds a piece, then writes it as a whole through a `std::osyncstream`. So no other
/// `sync_stream` or `std::osyncstream` on the same stream buffer gets in between. A manipulator
/// holds for its own piece. `std::flush` and `std::endl` in a piece flush the stream after it.
///
/// Threads: any, `redirect` included. Do not write to the stream directly at the same time unless
/// it allows that. `std::cout` does, but such writes are not in one piece.
/// Blocks: while others write; `lost` never.
/// Order: pieces of one thread come out in their order.
/// Failure: an exception of an `operator<<` propagates, and nothing of that piece is written; also
/// `std::bad_alloc`, and `std::ios_base::failure` of one that fails without an exception, as for a
/// null `const char*`. `lost()` counts the pieces that the stream does not take.
/// Cost: two copies of the text, some allocations.
class sync_stream {
    /// Text that remembers whether a flush was requested.
    class text_buffer : public std::stringbuf {
    public:
        text_buffer() : std::stringbuf(std::ios_base::out) {}
        bool flush_asked() const noexcept { return flush_asked_; }

    protected:
        int sync() override {
            flush_asked_ = true;
            return 0;
        }

    private:
        bool flush_asked_ = false;
    };

public:
    /// What `operator()` returns: a stream whose text is written when the expression ends.
    class piece : public std::ostream {
    public:
        piece(const piece&) = delete;
        piece& operator=(const piece&) = delete;
        ~piece() override {
            // Not if an exception ended the expression: that would write half a line.
            if (std::uncaught_exceptions() == exceptions_) {
                to_.write(text_, !fail());
            }
        }

    private:
        friend class sync_stream;
        explicit piece(sync_stream& to) : std::ostream(nullptr), to_(to) {
            rdbuf(&text_);
            report_failures(*this);
        }

        sync_stream& to_;
        text_buffer text_;
        int exceptions_ = std::uncaught_exceptions();
    };

    /// @param to must live until this object ends or is redirected.
    explicit sync_stream(std::ostream& to = std::cout) noexcept : to_(&to) {}
    sync_stream(const sync_stream&) = delete;
    sync_stream& operator=(const sync_stream&) = delete;

    /// Writes the arguments in order, in one piece.
    template<class... Arguments>
    void print(const Arguments&... arguments) {
        text_buffer text;
        std::ostream out(&text);
        report_failures(out);
        static_cast<void>((out << ... << arguments));
        write(text, !out.fail());
    }

    /// The same, and ends the line.
    template<class... Arguments>
    void println(const Arguments&... arguments) {
        print(arguments..., '\n');
    }

    /// Begins a piece in the stream's own style: `out() << a << b << '\n';`
    piece operator()() { return piece(*this); }

    /// Writes to another stream from now on, also pieces that are under way. After this returns the
    /// former stream is no longer used.
    void redirect(std::ostream& to) noexcept {
        const std::lock_guard lock(mutex_);
        to_ = &to;
    }

    /// How many pieces the stream did not take.
    std::uint64_t lost() const noexcept {
        return lost_.load(std::memory_order_relaxed); // relaxed: a count, which publishes nothing.
    }

private:
    /// The inserters of the standard library keep an exception back, unless one asks for it.
    static void report_failures([[maybe_unused]] std::ostream& out) {
#if REGATTA_EXCEPTIONS
        out.exceptions(std::ios_base::badbit | std::ios_base::failbit);
#endif
    }

    /// @param whole whether all of the piece is there; otherwise it is lost.
    void write(const text_buffer& text, bool whole) noexcept {
        const std::lock_guard lock(mutex_);
        bool taken = false;
        REGATTA_TRY {
            if (whole) {
                std::osyncstream out(*to_);
                out << text.view();
                if (text.flush_asked()) {
                    out << std::flush;
                }
                out.emit();
                taken = out.good();
            }
        }
        REGATTA_CATCH_ALL {}
        if (!taken) {
            lost_.fetch_add(1, std::memory_order_relaxed); // relaxed: as in lost().
        }
    }

    std::mutex mutex_; ///< Guards `to_`, and what is written there.
    std::ostream* to_;
    /// Written by threads that write, read by any.
    std::atomic<std::uint64_t> lost_{0};
};

} // namespace regatta
