// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A parser of the kernel's hexadecimal masks of CPUs.

#include <regatta/cpu/detail/cpu_list.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::detail {

/// Parses a mask of CPUs and passes each CPU to `add(cpu)`.
///
/// The grammar is the kernel's, for `smp_affinity` and similar files: groups of one to eight
/// hexadecimal digits, separated by commas or blanks. Each group stands for 32 CPUs, the last one
/// for CPUs 0 to 31. A newline ends the mask. The kernel ignores text after a newline; this parser
/// refuses it.
///
/// Threads: any.
/// Failure: returns the first mistake; some CPUs may already have been added.
/// Cost: linear in the text.
/// Source: what the kernel's files accept.
template<class Add>
class cpu_mask_parser {
public:
    /// @param last the number of the last CPU: bits above it must not be set.
    cpu_mask_parser(std::string_view text, std::uint64_t last, Add add)
        : text_(text)
        , last_(last)
        , add_(add) {}

    /// @returns nothing, or the first mistake.
    std::optional<cpu_list_error> parse() {
        struct group {
            std::size_t position;
            std::uint32_t bits;
        };
        std::vector<group> groups;
        bool ended = false;
        for (std::size_t at = 0; at < text_.size();) {
            if (text_[at] == '\n' || detail::separates_cpus(text_[at])) {
                ended = ended || text_[at] == '\n';
                ++at;
                continue;
            }
            if (ended) {
                return cpu_list_error{at, "expected nothing after the end of the line, " +
                                              detail::found_in(text_, at)};
            }
            group next{at, 0};
            for (; at < text_.size() && digit(text_[at]) < 16; ++at) {
                if (at - next.position == 8) {
                    return cpu_list_error{next.position, "a group has at most 8 digits"};
                }
                next.bits = next.bits << 4 | digit(text_[at]);
            }
            if (at < text_.size() && text_[at] != '\n' && !detail::separates_cpus(text_[at])) {
                return cpu_list_error{at, "expected a hexadecimal digit, ',' or the end, " +
                                              detail::found_in(text_, at)};
            }
            groups.push_back(next);
        }
        for (std::size_t i = groups.size(); i-- > 0;) {
            const std::uint64_t first = (groups.size() - 1 - i) * 32;
            for (std::uint32_t bits = groups[i].bits; bits != 0; bits &= bits - 1) {
                const std::uint64_t cpu = first + static_cast<unsigned>(std::countr_zero(bits));
                if (cpu > last_) {
                    return cpu_list_error{groups[i].position, "CPU " + std::to_string(cpu) +
                                                                  " is out of range, the last is " +
                                                                  std::to_string(last_)};
                }
                add_(cpu);
            }
        }
        return std::nullopt;
    }

private:
    /// The value of a hexadecimal digit; 16 for any other character.
    static constexpr std::uint32_t digit(char c) noexcept {
        if (c >= '0' && c <= '9') {
            return static_cast<std::uint32_t>(c - '0');
        }
        if (c >= 'a' && c <= 'f') {
            return static_cast<std::uint32_t>(c - 'a' + 10);
        }
        return c >= 'A' && c <= 'F' ? static_cast<std::uint32_t>(c - 'A' + 10) : 16;
    }

    std::string_view text_;
    std::uint64_t last_;
    Add add_;
};

} // namespace regatta::detail
