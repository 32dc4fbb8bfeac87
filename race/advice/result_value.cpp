// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/result_value.hpp"

#include <regatta/base/detail/printable_text.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace regatta::race {
namespace {

/// "line 3, column 17" of a byte.
std::string place_of(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = 1 + std::ranges::count(before, '\n');
    const auto begin = before.rfind('\n');
    const std::size_t column = begin == before.npos ? before.size() : before.size() - begin - 1;
    return fmt::format("line {}, column {}", line, std::max<std::size_t>(1, column));
}

/// "an object", "null", "the text \"fast\"".
std::string what_is(const json& value) {
    switch (value.kind()) {
    case json::type::null:
        return "null";
    case json::type::object:
        return "an object";
    case json::type::array:
        return "a list";
    case json::type::text: {
        const auto& text = value.text();
        constexpr std::size_t most = 40;
        return fmt::format("the text \"{}{}\"", detail::printable_text(text.substr(0, most)),
                           text.size() > most ? "..." : "");
    }
    case json::type::boolean:
        return value.boolean() ? "true" : "false";
    default:
        return "the number " + value.dump();
    }
}

} // namespace

result_value::result_value(std::shared_ptr<const json> document, const json* value,
                           std::string file, std::string member)
    : document_(std::move(document))
    , value_(value)
    , file_(std::move(file))
    , member_(std::move(member)) {}

result_value result_value::parse(std::string file, std::string_view text) {
    try {
        auto document = std::make_shared<const json>(json::parse(text));
        const json* whole = document.get();
        return {std::move(document), whole, std::move(file), {}};
    } catch (const json_error& e) {
        if (!e.number().empty()) {
            throw result_error(fmt::format("{}: {} at {} is out of range; allowed are numbers up "
                                           "to 1.8e308",
                                           file, detail::printable_text(e.number()),
                                           place_of(text, e.byte())));
        }
        if (e.repeated()) {
            throw result_error(fmt::format("{}: the member \"{}\" is there twice in an object",
                                           file, detail::printable_text(*e.repeated())));
        }
        if (e.levels() != 0) {
            throw result_error(
                fmt::format("{}: {}; allowed is the JSON of a result", file, e.what()));
        }
        if (text.find_first_not_of(" \t\r\n") == text.npos) {
            throw result_error(file + ": is empty; allowed is the JSON of a result");
        }
        const bool cut = e.byte() > text.size(); // It is the end that was not expected.
        throw result_error(fmt::format("{}: {} at {}; allowed is the JSON of a result, whole", file,
                                       cut ? "ends in the middle of the document," : "is no JSON",
                                       place_of(text, e.byte())));
    }
}

result_value result_value::at(const json& value, std::string member) const {
    return {document_, &value, file_, std::move(member)};
}

void result_value::refuse(const std::string& what) const {
    throw result_error(fmt::format("{}: {}{}", file_, member_.empty() ? "" : member_ + ": ", what));
}

void result_value::refuse_kind(const std::string& expected) const {
    refuse(fmt::format("{} is expected, and there is {}", expected, what_is(*value_)));
}

std::optional<result_value> result_value::find(std::string_view name) const {
    if (value_->kind() != json::type::object) {
        refuse_kind("an object");
    }
    const json* const found = value_->find(name);
    if (found == nullptr || found->is_null()) {
        return std::nullopt;
    }
    return at(*found, member_.empty() ? std::string(name) : fmt::format("{}.{}", member_, name));
}

result_value result_value::operator[](std::string_view name) const {
    if (value_->kind() != json::type::object) {
        refuse_kind("an object");
    }
    const json* const found = value_->find(name);
    if (found == nullptr) {
        refuse(fmt::format("the member \"{}\" is missing", name));
    }
    return at(*found, member_.empty() ? std::string(name) : fmt::format("{}.{}", member_, name));
}

std::vector<result_value> result_value::elements() const {
    if (value_->kind() != json::type::array) {
        refuse_kind("a list");
    }
    std::vector<result_value> all;
    for (const json::member& one : value_->members()) {
        all.push_back(at(one.value, fmt::format("{}[{}]", member_, all.size())));
    }
    return all;
}

std::vector<std::string> result_value::names() const {
    if (value_->kind() != json::type::object) {
        refuse_kind("an object");
    }
    std::vector<std::string> all;
    for (const json::member& one : value_->members()) {
        all.push_back(one.name);
    }
    return all;
}

bool result_value::is_null() const noexcept {
    return value_->is_null();
}

bool result_value::boolean() const {
    if (value_->kind() != json::type::boolean) {
        refuse_kind("true or false");
    }
    return value_->boolean();
}

std::string result_value::text() const {
    if (value_->kind() != json::type::text) {
        refuse_kind("a text");
    }
    return detail::printable_text(value_->text());
}

std::string result_value::plain() const {
    return value_->is_number() ? value_->dump() : text();
}

std::vector<std::string> result_value::texts() const {
    std::vector<std::string> all;
    for (const result_value& one : elements()) {
        all.push_back(one.text());
    }
    return all;
}

figure result_value::number(double least, double most) const {
    if (!value_->is_number()) {
        refuse_kind("a number");
    }
    const double value = value_->number();
    if (!std::isfinite(value) || value < least || value > most) {
        refuse(fmt::format(
            "{} is out of range; allowed are numbers from {} {}", value_->dump(), least,
            most == std::numeric_limits<double>::max() ? "on" : fmt::format("to {}", most)));
    }
    return {value, file_, member_};
}

std::optional<figure> result_value::number_or_null(double least, double most) const {
    return is_null() ? std::nullopt : std::optional(number(least, most));
}

unsigned result_value::whole(unsigned least) const {
    const double value = number(least).value;
    if (value != std::floor(value) || value > std::numeric_limits<unsigned>::max()) {
        refuse(fmt::format("{} is not a whole number in range", value_->dump()));
    }
    return static_cast<unsigned>(value);
}

std::optional<figure_interval> result_value::interval_or_null(double most) const {
    if (is_null()) {
        return std::nullopt;
    }
    figure_interval all;
    all.median = (*this)["median"].number(0, most);
    all.low = (*this)["low"].number(0, most).value;
    all.high = (*this)["high"].number(0, most).value;
    all.count = (*this)["count"].whole();
    if (all.low > all.median.value || all.high < all.median.value) {
        refuse("its median does not lie between its low and its high");
    }
    return all;
}

std::optional<figure_interval> result_value::positive_or_null(double most) const {
    const auto read = interval_or_null(most);
    if (read && read->count != 0 && read->low <= 0) {
        (*this)["low"].refuse("0 is out of range; allowed are numbers above 0");
    }
    return read;
}

} // namespace regatta::race
