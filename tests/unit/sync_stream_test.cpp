// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/eventually.hpp"

#include <regatta/base/config.hpp>
#include <regatta/base/sync_stream.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <iomanip>
#include <ios>
#include <map>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <syncstream>
#include <thread>
#include <vector>

namespace {

using regatta::sync_stream;

/// A buffer that takes nothing.
class full_buffer : public std::streambuf {};

/// A buffer that counts what it is told.
class counting_buffer : public std::stringbuf {
public:
    int flushed = 0;

protected:
    int sync() override {
        ++flushed;
        return 0;
    }
};

/// How often each line occurs in a text.
std::map<std::string, int> lines_of(const std::string& text) {
    std::map<std::string, int> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        ++lines[line];
    }
    return lines;
}

} // namespace

TEST(sync_stream, prints_its_arguments_one_after_the_other) {
    std::ostringstream target;
    sync_stream out(target);
    out.print("a", 1, ' ', 2.5);
    out.println();
    out.println("b", std::string("c"), std::hex, 255);
    out.println(255);
    EXPECT_EQ(target.str(), "a1 2.5\nbcff\n255\n");
    EXPECT_EQ(out.lost(), 0u);
}

TEST(sync_stream, prints_to_cout_unless_told_otherwise) {
    testing::internal::CaptureStdout();
    sync_stream out;
    out.println("here");
    out() << "and "
          << "there" << std::endl;
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "here\nand there\n");
}

TEST(sync_stream, writes_an_expression_when_it_ends) {
    std::ostringstream target;
    sync_stream out(target);
    out() << "x" << std::setw(4) << 7 << (target.str().empty() ? " not yet" : " too early") << '\n';
    EXPECT_EQ(target.str(), "x   7 not yet\n");
    {
        auto&& piece = out();
        piece << "kept";
        out.println("first");
        EXPECT_EQ(target.str(), "x   7 not yet\nfirst\n");
    }
    EXPECT_EQ(target.str(), "x   7 not yet\nfirst\nkept");
}

// "`std::flush` and `std::endl` in a piece flush the stream after it."
TEST(sync_stream, flushes_when_asked) {
    counting_buffer buffer;
    std::ostream target(&buffer);
    sync_stream out(target);
    out.println("a");
    out() << "b\n";
    EXPECT_EQ(buffer.flushed, 0);
    out() << "c" << std::endl;
    EXPECT_EQ(buffer.flushed, 1);
    EXPECT_EQ(buffer.str(), "a\nb\nc\n");
}

// "Writes to another stream from now on, also pieces that are under way."
TEST(sync_stream, can_be_redirected) {
    std::ostringstream one;
    std::ostringstream other;
    sync_stream out(one);
    out.println("one");
    {
        auto&& piece = out();
        piece << "under ";
        out.redirect(other);
        piece << "way\n";
    }
    out.println("other");
    EXPECT_EQ(one.str(), "one\n");
    EXPECT_EQ(other.str(), "under way\nother\n");
}

// "`lost()` counts the pieces that the stream does not take."
TEST(sync_stream, counts_what_is_lost) {
    full_buffer buffer;
    std::ostream full(&buffer);
    sync_stream out(full);
    out.println("a");
    out() << "b";
    EXPECT_EQ(out.lost(), 2u);
    std::ostringstream target;
    out.redirect(target);
    out.println("c");
    EXPECT_EQ(out.lost(), 2u);
    std::ostream none(nullptr);
    out.redirect(none);
    out.println("d");
    EXPECT_EQ(out.lost(), 3u);
    EXPECT_EQ(target.str(), "c\n");
}

namespace {

/// A buffer that takes nothing, and that only after a while.
class slow_buffer : public std::streambuf {
public:
    std::atomic<bool> writing{false};
    std::atomic<bool> may_end{false};

protected:
    std::streamsize xsputn(const char*, std::streamsize) override {
        writing = true;
        library_test::await([this] { return may_end.load(); });
        return 0;
    }
};

} // namespace

// "`lost()`: never" blocks, also not while another thread writes.
TEST(sync_stream, tells_what_is_lost_while_it_writes) {
    slow_buffer buffer;
    std::ostream slow(&buffer);
    sync_stream out(slow);
    std::thread writer([&] { out.println("a"); });
    library_test::await([&] { return buffer.writing.load(); });
    EXPECT_EQ(out.lost(), 0u);
    buffer.may_end = true;
    writer.join();
    EXPECT_EQ(out.lost(), 1u);
}

#if REGATTA_EXCEPTIONS
namespace {
struct unprintable {
    friend std::ostream& operator<<(std::ostream&, const unprintable&) {
        throw std::runtime_error("no");
    }
};
} // namespace

// "an exception of an `operator<<` propagates, and nothing of that piece is written"
TEST(sync_stream, writes_a_piece_as_a_whole_or_not) {
    std::ostringstream target;
    sync_stream out(target);
    EXPECT_THROW(out.println("a", unprintable{}, "b"), std::runtime_error);
    EXPECT_THROW(out() << "a" << unprintable{} << "b", std::runtime_error);
    EXPECT_EQ(target.str(), "");
    try {
        throw 1;
    } catch (int) {
        out() << "while one is handled\n";
    }
    EXPECT_EQ(target.str(), "while one is handled\n");
}
#endif

// "So no other `sync_stream` or `std::osyncstream` on the same stream buffer gets in between":
// three threads on streams of their own, all with one buffer.
TEST(sync_stream, tears_no_line_of_another_on_the_same_buffer) {
    std::ostringstream target;
    std::ostream second(target.rdbuf());
    sync_stream one(target);
    sync_stream two(second);
    constexpr int each = 300;
    const std::string a(100, 'a');
    const std::string b(100, 'b');
    const std::string c(100, 'c');
    const std::string d(100, 'd');
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
        for (int i = 0; i < each; ++i) {
            one.println(a, b, a);
        }
    });
    threads.emplace_back([&] {
        for (int i = 0; i < each; ++i) {
            one() << c << a << c << '\n';
        }
    });
    threads.emplace_back([&] {
        for (int i = 0; i < each; ++i) {
            two.println(b, c, b);
        }
    });
    threads.emplace_back([&] {
        for (int i = 0; i < each; ++i) {
            std::osyncstream(second) << d << d << '\n';
        }
    });
    for (auto& t : threads) {
        t.join();
    }
    const std::map<std::string, int> expected{
        {a + b + a, each}, {c + a + c, each}, {b + c + b, each}, {d + d, each}};
    EXPECT_TRUE(lines_of(target.str()) == expected);
}

// "After this returns the former stream is no longer used": it is destroyed then.
TEST(sync_stream, leaves_a_stream_alone_after_redirecting) {
    std::ostringstream rest;
    sync_stream out(rest);
    std::atomic<bool> done{false};
    std::vector<std::thread> writers;
    for (int t = 0; t < 2; ++t) {
        writers.emplace_back([&] {
            while (!done.load()) {
                out.println("line ", 1);
                out() << "line " << 2 << '\n';
            }
        });
    }
    int torn = 0;
    for (int i = 0; i < 200; ++i) {
        std::ostringstream passing;
        out.redirect(passing);
        std::this_thread::yield();
        out.redirect(rest);
        for (const auto& [line, count] : lines_of(passing.str())) {
            torn += line == "line 1" || line == "line 2" ? 0 : 1;
        }
    }
    done = true;
    for (auto& w : writers) {
        w.join();
    }
    EXPECT_EQ(torn, 0);
    EXPECT_EQ(out.lost(), 0u);
}

namespace {
/// Its inserter fails as a conversion does that is not possible: what follows is left out.
struct not_convertible {
    friend std::ostream& operator<<(std::ostream& out, const not_convertible&) {
        out.setstate(std::ios_base::failbit);
        return out;
    }
};
} // namespace

#if REGATTA_EXCEPTIONS
// "Nothing of that piece is written", also where an inserter keeps the failure to itself.
TEST(sync_stream, writes_nothing_of_a_piece_that_fails) {
    std::ostringstream to;
    sync_stream out(to);
    const char* const none = nullptr;
    EXPECT_THROW(out.println("a = ", none, ", b = ", 2), std::ios_base::failure);
    EXPECT_THROW(out() << "a = " << none << ", b = " << 2 << '\n', std::ios_base::failure);
    EXPECT_THROW(out.println("a = ", not_convertible{}, ", b = ", 2), std::ios_base::failure);
    EXPECT_THROW(out() << "a = " << not_convertible{} << ", b = " << 2 << '\n',
                 std::ios_base::failure);
    out.println("next");
    EXPECT_EQ(to.str(), "next\n");
    EXPECT_EQ(out.lost(), 0u);
}
#else
// A piece that is not whole is lost.
TEST(sync_stream, writes_nothing_of_a_piece_that_fails) {
    std::ostringstream to;
    sync_stream out(to);
    out.println("a = ", not_convertible{}, ", b = ", 2);
    out() << "a = " << not_convertible{} << ", b = " << 2 << '\n';
    EXPECT_EQ(to.str(), "");
    EXPECT_EQ(out.lost(), 2u);
}
#endif
