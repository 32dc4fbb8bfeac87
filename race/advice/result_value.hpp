// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Reading the JSON of a result, so that whatever is wrong with it has a place.

#include "advice/figure.hpp"
#include "advice/result_error.hpp"
#include "text/json.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// A value of a result file together with its place in it.
///
/// Failure: all members throw `result_error` for what is not there or of another kind.
class result_value {
public:
    /// Parses the text of a file; the value is the whole document.
    /// Failure: `result_error` with line and column where it is no JSON, or ends too early.
    static result_value parse(std::string file, std::string_view text);

    /// A member that must be there.
    result_value operator[](std::string_view name) const;
    /// A member that is there and not null.
    std::optional<result_value> find(std::string_view name) const;
    /// Of a list.
    std::vector<result_value> elements() const;
    /// Of an object: the names of its members.
    std::vector<std::string> names() const;

    bool is_null() const noexcept;
    bool boolean() const;
    std::string text() const;
    /// A number or a text, as text; what the settings of a workload are.
    std::string plain() const;
    std::vector<std::string> texts() const;
    /// A number from `least` to `most`.
    figure number(double least = 0, double most = std::numeric_limits<double>::max()) const;
    std::optional<figure> number_or_null(double least = 0,
                                         double most = std::numeric_limits<double>::max()) const;
    unsigned whole(unsigned least = 0) const;
    /// `{median, low, high, count}`, none above `most`; a `count` of 0 stays.
    std::optional<figure_interval>
    interval_or_null(double most = std::numeric_limits<double>::max()) const;
    /// The same of what is never 0, as times and ratios of times.
    std::optional<figure_interval>
    positive_or_null(double most = std::numeric_limits<double>::max()) const;

    const std::string& file() const noexcept { return file_; }
    /// Throws a `result_error` about this value. @param what "a number is expected".
    [[noreturn]] void refuse(const std::string& what) const;

private:
    result_value(std::shared_ptr<const json> document, const json* value, std::string file,
                 std::string member);
    result_value at(const json& value, std::string member) const;
    [[noreturn]] void refuse_kind(const std::string& expected) const;

    std::shared_ptr<const json> document_; ///< Holds `value_`.
    const json* value_;
    std::string file_;
    std::string member_; ///< Empty: the document itself.
};

} // namespace regatta::race
