// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A parser of the kernel's grammar for lists of CPUs.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace regatta {

/// Why and where a text is not a valid list or mask of CPUs.
struct cpu_list_error {
    std::size_t position = 0; ///< Offset in bytes, from 0; the text's length means "at its end".
    std::string reason;       ///< What was expected and what was found.

    /// One sentence with the kind of text (`what`), the text, the position and the reason.
    std::string message(std::string_view text, const char* what = "CPU list") const {
        return what + (" '" + std::string(text)) + "', position " + std::to_string(position) +
               ": " + reason;
    }
};

} // namespace regatta

namespace regatta::detail {

/// Whether the kernel accepts `c` as a separator of the parts of a list or of a mask.
constexpr bool separates_cpus(char c) noexcept {
    return c == ',' || c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

/// Names the character of `text` at a position.
inline std::string found_in(std::string_view text, std::size_t at) {
    if (at >= text.size()) {
        return "found the end";
    }
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x20 || c > 0x7e) {
        return "found a byte of value " + std::to_string(c);
    }
    return std::string("found '") + static_cast<char>(c) + "'";
}

/// Parses a list of CPUs and passes each block of adjacent CPUs to `add(first, last)`.
///
/// The grammar is the kernel's, for cpusets and boot parameters. Commas or blanks separate regions.
/// A region is `all` (any case), a number or a range `a-b`. A range may be followed by
/// `:used/group`, which keeps the first `used` of every `group` CPUs. `N` is the last CPU; it may
/// replace any number. A newline ends the list. The kernel ignores text after a newline; this
/// parser refuses it.
///
/// Threads: any.
/// Failure: returns the first mistake; earlier blocks were already added.
/// Cost: linear in the text and in the blocks.
/// Source: the kernel's documentation of its command line ("cpu lists") and what its cpusets
/// accept.
template<class Add>
class cpu_list_parser {
public:
    /// @param last the number of the last CPU: the value of `N` and the largest valid number.
    cpu_list_parser(std::string_view text, std::uint64_t last, Add add)
        : text_(text)
        , last_(last)
        , add_(add) {}

    /// @returns nothing, or the first mistake.
    std::optional<cpu_list_error> parse() {
        for (;;) {
            while (separates_cpus(peek())) {
                ++at_;
            }
            if (peek() == '\n') {
                return rest_is_blank();
            }
            if (at_ == text_.size()) {
                return std::nullopt;
            }
            if (!region()) {
                return error_;
            }
        }
    }

private:
    static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
    /// `c`, an ASCII letter, in lower case.
    static constexpr char lower(char c) noexcept {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }

    /// The current character; '\0' at the end of the text.
    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool at_end_of_region() const noexcept {
        return at_ == text_.size() || separates_cpus(peek()) || peek() == '\n';
    }

    bool region() {
        const std::size_t begin = at_;
        std::uint64_t first = 0;
        std::uint64_t end = last_;
        if (text_.size() - at_ >= 3 && lower(text_[at_]) == 'a' && lower(text_[at_ + 1]) == 'l' &&
            lower(text_[at_ + 2]) == 'l') {
            at_ += 3;
        } else {
            if (!number(first, "a CPU number, 'N' or 'all'")) {
                return false;
            }
            end = first;
            if (!at_end_of_region()) {
                if (peek() != '-') {
                    return fail(at_, "expected '-', ',' or the end, " + found());
                }
                ++at_;
                if (!number(end, "the last CPU of the range")) {
                    return false;
                }
                if (!at_end_of_region() && peek() != ':') {
                    return fail(at_, "expected ':', ',' or the end, " + found());
                }
            }
        }
        std::uint64_t used = 1;
        std::uint64_t group = 1;
        if (!at_end_of_region()) {
            if (peek() != ':') {
                return fail(at_, "expected ':', ',' or the end, " + found());
            }
            ++at_;
            const std::size_t pattern = at_;
            if (!number(used, "how many CPUs of each group to use")) {
                return false;
            }
            if (peek() != '/') {
                return fail(at_, "expected '/' and the size of a group, " + found());
            }
            ++at_;
            const std::size_t size = at_;
            if (!number(group, "the size of a group")) {
                return false;
            }
            if (group == 0) {
                return fail(size, "a group has at least 1 CPU, found 0");
            }
            if (used > group) {
                return fail(pattern, "a group of " + std::to_string(group) + " has no " +
                                         std::to_string(used) + " CPUs to use");
            }
        }
        if (first > end) {
            return fail(begin, "a range must rise, found " + std::to_string(first) + "-" +
                                   std::to_string(end));
        }
        if (end > last_) {
            return fail(begin, "CPU " + std::to_string(end) + " is out of range, the last is " +
                                   std::to_string(last_));
        }
        if (used == group) {
            add_(first, end);
            return true;
        }
        for (std::uint64_t block = first; used > 0 && block <= end; block += group) {
            const std::uint64_t block_end = block + used - 1;
            add_(block, block_end < end ? block_end : end);
        }
        return true;
    }

    bool number(std::uint64_t& value, const char* expected) {
        if (peek() == 'N') {
            ++at_;
            value = last_;
            return true;
        }
        const std::size_t begin = at_;
        value = 0;
        while (is_digit(peek())) {
            value = value * 10 + static_cast<std::uint64_t>(peek() - '0');
            if (value > std::numeric_limits<std::uint32_t>::max()) {
                return fail(begin, "the number does not fit 32 bits");
            }
            ++at_;
        }
        if (at_ == begin) {
            return fail(at_, std::string("expected ") + expected + ", " + found());
        }
        return true;
    }

    std::optional<cpu_list_error> rest_is_blank() {
        while (separates_cpus(peek()) || peek() == '\n') {
            ++at_;
        }
        if (at_ != text_.size()) {
            fail(at_, "expected nothing after the end of the line, " + found());
        }
        return error_;
    }

    /// Names the current character.
    std::string found() const { return found_in(text_, at_); }

    bool fail(std::size_t position, std::string reason) {
        error_ = cpu_list_error{position, std::move(reason)};
        return false;
    }

    std::string_view text_;
    std::uint64_t last_;
    Add add_;
    std::size_t at_ = 0;
    std::optional<cpu_list_error> error_{};
};

} // namespace regatta::detail
