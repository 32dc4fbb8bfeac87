// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whole lines from many threads to one stream.

#include <regatta/base/config.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <mutex>
#include <ostream>
#include <sstream>
#include <syncstream>

namespace regatta {

/// Writes what each call or expression says in one piece, whichever threads write at once.
///
/// ```cpp
/// regatta::sync_stream out;                       // std::cout
/// out.println("row ", 7, " has ", 12.5);
/// out() << std::hex << 255 << '\n';               // in one piece, when the expression ends
/// out.redirect(file);
/// ```
///
/// A piece is put together first, and written as a whole through a `std::osyncstream`: so neither
/// another `sync_stream` on the same stream buffer, nor a `std::osyncstream` on it, gets in
/// between. A manipulator holds for its own piece. `std::flush` and `std::endl` in a piece flush
/// the stream after it.
///
/// Threads: any, `redirect` included. The stream itself must not be written to directly meanwhile,
/// unless it may be: `std::cout` may, but such writes are not in one piece. Blocks: while others
/// write. Order: pieces of one thread come out in their order. Failure: what an `operator<<` throws
/// is passed on, and nothing of that piece is written; a piece that the stream does not take is
/// counted by `lost()`. Cost: two copies of the text, some allocations.
class sync_stream {
    /// Text that remembers whether it was to be flushed.
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
            // Where an exception ends the expression, half a line would be left.
            if (std::uncaught_exceptions() == exceptions_) {
                to_.write(text_);
            }
        }

    private:
        friend class sync_stream;
        explicit piece(sync_stream& to) : std::ostream(nullptr), to_(to) { rdbuf(&text_); }

        sync_stream& to_;
        text_buffer text_;
        int exceptions_ = std::uncaught_exceptions();
    };

    /// @param to must live until this object ends or is redirected.
    explicit sync_stream(std::ostream& to = std::cout) noexcept : to_(&to) {}
    sync_stream(const sync_stream&) = delete;
    sync_stream& operator=(const sync_stream&) = delete;

    /// Writes the arguments one after the other, in one piece.
    template<class... Arguments>
    void print(const Arguments&... arguments) {
        text_buffer text;
        std::ostream out(&text);
        static_cast<void>((out << ... << arguments));
        write(text);
    }

    /// The same, and ends the line.
    template<class... Arguments>
    void println(const Arguments&... arguments) {
        print(arguments..., '\n');
    }

    /// Begins a piece in the stream's own style: `out() << a << b << '\n';`
    piece operator()() { return piece(*this); }

    /// From now on writes to another stream: also pieces that are under way. When this returns the
    /// former stream is not used any more.
    void redirect(std::ostream& to) noexcept {
        const std::lock_guard lock(mutex_);
        to_ = &to;
    }

    /// How many pieces the stream did not take.
    std::uint64_t lost() const noexcept {
        const std::lock_guard lock(mutex_);
        return lost_;
    }

private:
    void write(const text_buffer& text) noexcept {
        const std::lock_guard lock(mutex_);
        bool taken = false;
        REGATTA_TRY {
            std::osyncstream out(*to_);
            out << text.view();
            if (text.flush_asked()) {
                out << std::flush;
            }
            out.emit();
            taken = out.good();
        }
        REGATTA_CATCH_ALL {}
        lost_ += taken ? 0 : 1;
    }

    mutable std::mutex mutex_; ///< Guards both.
    std::ostream* to_;
    std::uint64_t lost_ = 0;
};

} // namespace regatta
