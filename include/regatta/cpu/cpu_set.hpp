// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A set of CPU numbers, in the kernel's list notation and as the kernel's masks.

#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>
#include <regatta/cpu/detail/cpu_list.hpp>
#include <regatta/cpu/detail/cpu_mask.hpp>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// A set of CPU numbers of any width. It is a value and does not depend on the machine's CPUs.
///
/// Threads: as a plain value.
/// Failure: `std::invalid_argument` for a CPU number of `max_width` or more.
/// Cost: one bit per number up to the largest; operations are linear in that.
class cpu_set {
public:
    using word = unsigned long;
    static constexpr unsigned bits_per_word = sizeof(word) * CHAR_BIT;
    /// CPU numbers are below this; it bounds the memory that a mistyped number can cost.
    static constexpr unsigned max_width = 1u << 20;

    cpu_set() = default;
    cpu_set(std::initializer_list<unsigned> cpus) {
        for (const unsigned cpu : cpus) {
            insert(cpu);
        }
    }

    /// The set {0, 1, … count - 1}.
    static cpu_set first(unsigned count) {
        cpu_set set;
        if (count > 0) {
            set.insert_range(0, count - 1);
        }
        return set;
    }

    /// Reads the kernel's list notation ("0-3,8", "0-15:2/4", "all"; see `cpu_list_parser`) for
    /// this machine: `N` is its last CPU and `all` is every CPU. Without `N` and `all`, larger
    /// numbers are accepted, so the text means the same set on every machine.
    /// Failure: `std::invalid_argument` with the position and what was expected there.
    static cpu_set parse(std::string_view text) {
        cpu_list_error error;
        auto set = try_parse(text, error);
        if (!set) {
            fail_argument(error.message(text));
        }
        return std::move(*set);
    }

    /// The same for a machine of `width` CPUs: `N` is `width - 1`; larger numbers are refused.
    static cpu_set parse(std::string_view text, unsigned width) {
        cpu_list_error error;
        auto set = try_parse(text, width, error);
        if (!set) {
            fail_argument(error.message(text));
        }
        return std::move(*set);
    }

    /// `parse` without exceptions: for a wrong text it fills `error` and returns nothing.
    static std::optional<cpu_set> try_parse(std::string_view text, cpu_list_error& error) {
        // Only `N` and `all` depend on the machine's width; only then is that width the limit.
        const bool names_last = text.find_first_of("NaA") != std::string_view::npos;
        if (!names_last) {
            return try_parse(text, max_width, error);
        }
        return try_parse(text, detail::configured_cpus(), error);
    }

    /// `parse` for `width` CPUs without exceptions.
    static std::optional<cpu_set> try_parse(std::string_view text, unsigned width,
                                            cpu_list_error& error) {
        if (width == 0 || width > max_width) {
            error = {0, "the width must be 1.." + std::to_string(max_width) + ", not " +
                            std::to_string(width)};
            return std::nullopt;
        }
        cpu_set set;
        const auto add = [&set](std::uint64_t low, std::uint64_t high) {
            set.insert_range(static_cast<unsigned>(low), static_cast<unsigned>(high));
        };
        if (auto mistake = detail::cpu_list_parser(text, width - 1, add).parse()) {
            error = std::move(*mistake);
            return std::nullopt;
        }
        return set;
    }

    /// Reads the kernel's hexadecimal form ("ff,00000001"; see `cpu_mask_parser`).
    /// Failure: `std::invalid_argument` with the position and what was expected there.
    static cpu_set parse_mask(std::string_view text) {
        cpu_list_error error;
        auto set = try_parse_mask(text, error);
        if (!set) {
            fail_argument(error.message(text, "CPU mask"));
        }
        return std::move(*set);
    }

    /// `parse_mask` without exceptions: for a wrong text it fills `error` and returns nothing.
    static std::optional<cpu_set> try_parse_mask(std::string_view text, cpu_list_error& error) {
        cpu_set set;
        const auto add = [&set](std::uint64_t cpu) { set.insert(static_cast<unsigned>(cpu)); };
        if (auto mistake = detail::cpu_mask_parser(text, max_width - 1, add).parse()) {
            error = std::move(*mistake);
            return std::nullopt;
        }
        return set;
    }

    /// Makes a set from the words of a kernel mask: bit c of the array is CPU c.
    static cpu_set from_words(std::span<const word> words) {
        cpu_set set;
        set.words_ = std::vector<word>(words.begin(), words.end());
        set.trim();
        if (set.words_.size() > max_width / bits_per_word) {
            fail_argument(detail::text_of(
                {"a mask of CPU numbers that are not below ", detail::decimal(max_width)}));
        }
        return set;
    }

    /// The words of the kernel mask, as few as hold the largest number.
    std::span<const word> words() const noexcept { return words_; }

    /// The kernel's own list form: rising, runs joined ("0-3,8"); empty for the empty set.
    std::string to_string() const {
        std::string text;
        for (auto it = begin(); it != end();) {
            const unsigned low = *it;
            unsigned high = low;
            for (++it; it != end() && *it == high + 1; ++it) {
                ++high;
            }
            text += text.empty() ? "" : ",";
            text += std::to_string(low);
            if (high != low) {
                text += '-';
                text += std::to_string(high);
            }
        }
        return text;
    }

    /// The kernel's hexadecimal form: groups of 32 CPUs, the last one for CPUs 0 to 31.
    /// @param width the least number of CPUs to write digits for: "0f" for 8.
    std::string to_mask(unsigned width = 1) const {
        unsigned last = std::clamp(width, 1u, max_width) - 1;
        for (const unsigned cpu : *this) {
            last = std::max(last, cpu);
        }
        std::string text;
        for (unsigned digit = last / 4 + 1; digit-- > 0;) {
            unsigned value = 0;
            for (unsigned cpu = digit * 4; cpu < digit * 4 + 4; ++cpu) {
                value |= static_cast<unsigned>(contains(cpu)) << cpu % 4;
            }
            text += "0123456789abcdef"[value];
            text += digit % 8 == 0 && digit > 0 ? "," : "";
        }
        return text;
    }

    void insert(unsigned cpu) { insert_range(cpu, cpu); }

    /// Inserts every number from `low` to `high`, both included.
    void insert_range(unsigned low, unsigned high) {
        if (low > high || high >= max_width) {
            fail_argument(
                detail::text_of({"CPU numbers ", detail::decimal(low), "-", detail::decimal(high),
                                 ": they must rise and be below ", detail::decimal(max_width)}));
        }
        words_.resize(std::max<std::size_t>(words_.size(), high / bits_per_word + 1));
        for (unsigned cpu = low; cpu <= high; ++cpu) {
            words_[cpu / bits_per_word] |= bit(cpu);
        }
    }

    void erase(unsigned cpu) noexcept {
        if (contains(cpu)) {
            words_[cpu / bits_per_word] &= ~bit(cpu);
            trim();
        }
    }

    bool contains(unsigned cpu) const noexcept {
        return cpu / bits_per_word < words_.size() && (words_[cpu / bits_per_word] & bit(cpu)) != 0;
    }
    /// Whether every CPU of `other` is in this set.
    bool contains(const cpu_set& other) const noexcept {
        for (std::size_t i = 0; i < other.words_.size(); ++i) {
            const word mine = i < words_.size() ? words_[i] : 0;
            if ((other.words_[i] & ~mine) != 0) {
                return false;
            }
        }
        return true;
    }

    bool empty() const noexcept { return words_.empty(); }
    /// The number of CPUs in the set.
    unsigned count() const noexcept {
        unsigned sum = 0;
        for (const word w : words_) {
            sum += static_cast<unsigned>(std::popcount(w));
        }
        return sum;
    }

    cpu_set& operator|=(const cpu_set& other) {
        words_.resize(std::max(words_.size(), other.words_.size()));
        for (std::size_t i = 0; i < other.words_.size(); ++i) {
            words_[i] |= other.words_[i];
        }
        return *this;
    }
    cpu_set& operator&=(const cpu_set& other) noexcept {
        if (words_.size() > other.words_.size()) {
            words_.resize(other.words_.size());
        }
        for (std::size_t i = 0; i < words_.size(); ++i) {
            words_[i] &= other.words_[i];
        }
        trim();
        return *this;
    }
    cpu_set& operator-=(const cpu_set& other) noexcept {
        for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) {
            words_[i] &= ~other.words_[i];
        }
        trim();
        return *this;
    }
    friend cpu_set operator|(cpu_set a, const cpu_set& b) {
        a |= b;
        return a; // Moves; the reference that `|=` returns would be copied.
    }
    friend cpu_set operator&(cpu_set a, const cpu_set& b) noexcept {
        a &= b;
        return a;
    }
    friend cpu_set operator-(cpu_set a, const cpu_set& b) noexcept {
        a -= b;
        return a;
    }
    bool operator==(const cpu_set&) const = default;

    /// Visits the CPUs in rising order. Insertions and erasures invalidate it.
    class iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = unsigned;
        using difference_type = std::ptrdiff_t;
        using pointer = const unsigned*;
        using reference = unsigned;

        iterator() = default;
        unsigned operator*() const noexcept { return cpu_; }
        iterator& operator++() noexcept {
            cpu_ = set_->next(cpu_ + 1);
            return *this;
        }
        iterator operator++(int) noexcept {
            iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const iterator&) const = default;

    private:
        friend class cpu_set;
        iterator(const cpu_set& set, unsigned cpu) noexcept : set_(&set), cpu_(cpu) {}
        const cpu_set* set_ = nullptr;
        unsigned cpu_ = 0;
    };
    using const_iterator = iterator;
    iterator begin() const noexcept { return {*this, next(0)}; }
    iterator end() const noexcept { return {*this, max_width}; }

private:
    static constexpr word bit(unsigned cpu) noexcept { return word{1} << cpu % bits_per_word; }

    /// The smallest member that is at least `cpu`; `max_width` if there is none.
    unsigned next(unsigned cpu) const noexcept {
        for (std::size_t i = cpu / bits_per_word; i < words_.size(); ++i) {
            word w = words_[i];
            if (i == cpu / bits_per_word) {
                w &= ~word{0} << cpu % bits_per_word;
            }
            if (w != 0) {
                return static_cast<unsigned>(i * bits_per_word) +
                       static_cast<unsigned>(std::countr_zero(w));
            }
        }
        return max_width;
    }

    void trim() noexcept {
        while (!words_.empty() && words_.back() == 0) {
            words_.pop_back();
        }
    }

    std::vector<word> words_; ///< The last word is never 0, so equal sets are equal vectors.
};

} // namespace regatta
