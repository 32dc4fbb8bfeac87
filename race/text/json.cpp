// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "text/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

using library_json = nlohmann::ordered_json;

constexpr std::size_t most_levels = 1000; ///< Of arrays and objects in each other, in what is read.

/// A value that has no others in it.
library_json converted(const json& value) {
    switch (value.kind()) {
    case json::type::boolean:
        return value.boolean();
    case json::type::integer:
        return value.integer();
    case json::type::natural:
        return value.natural();
    case json::type::real:
        return value.number();
    case json::type::text:
        return value.text();
    default:
        return nullptr;
    }
}

std::string text_of_one(const library_json& value) {
    return value.dump(-1, ' ', false, library_json::error_handler_t::replace);
}

/// Appends values to a text. The library would write a document of its own, which takes as much
/// memory again, and in whose destructor a lack of memory ends the program.
class writer {
public:
    explicit writer(int indent) : indent_(indent) {}

    void add(const json& value) {
        if (value.kind() == json::type::array || value.kind() == json::type::object) {
            add_all(value);
        } else {
            text_ += text_of_one(converted(value));
        }
    }
    std::string take() noexcept { return std::move(text_); }

private:
    void add_all(const json& value) {
        const bool named = value.kind() == json::type::object;
        text_ += named ? '{' : '[';
        ++level_;
        bool first = true;
        for (const json::member& one : value.members()) {
            if (!std::exchange(first, false)) {
                text_ += ',';
            }
            begin_line();
            if (named) {
                text_ += text_of_one(one.name) + (indent_ < 0 ? ":" : ": ");
            }
            add(one.value);
        }
        --level_;
        if (!first) {
            begin_line();
        }
        text_ += named ? '}' : ']';
    }
    void begin_line() {
        if (indent_ >= 0) {
            text_ += '\n';
            text_.append(level_ * static_cast<std::size_t>(indent_), ' ');
        }
    }

    const int indent_; ///< Spaces a level; -1: all in one line.
    std::size_t level_ = 0;
    std::string text_;
};

/// Builds the value from what the parser reports.
class builder final : public nlohmann::json_sax<library_json> {
public:
    json take() noexcept { return std::move(document_); }

    bool null() override { return put(json()); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t&) override { return put(value); }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(json::object()); }
    bool key(string_t& name) override {
        member_ = &open_.back()->add(std::move(name));
        return true;
    }
    bool end_object() override {
        // All at once: to look for each among those before it takes minutes of many.
        std::vector<std::string_view> names;
        for (const json::member& one : open_.back()->members()) {
            names.push_back(one.name);
        }
        std::ranges::sort(names);
        if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
            throw json_error::repeats(std::string(*twice));
        }
        return close();
    }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t byte, const std::string& last,
                     const nlohmann::detail::exception& error) override {
        constexpr int number_out_of_range = 406;
        throw json_error(error.what(), byte, error.id == number_out_of_range ? last : "");
    }

private:
    json& place(json value) {
        if (open_.empty()) {
            document_ = std::move(value);
            return document_;
        }
        json& parent = *open_.back();
        if (parent.kind() == json::type::object) {
            *member_ = std::move(value);
            return *member_;
        }
        return parent.push_back(std::move(value));
    }

    bool put(json value) {
        place(std::move(value));
        return true;
    }

    bool open(json container) {
        if (open_.size() == most_levels) {
            throw json_error::nests(most_levels);
        }
        open_.push_back(&place(std::move(container)));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    json document_;
    std::vector<json*> open_;
    json* member_ = nullptr; ///< Of the innermost object: the one whose value comes next.
};

} // namespace

json::json() noexcept = default;

json::json(std::nullptr_t) noexcept {}

json::json(double value) noexcept : type_(type::real), real_(value) {}

json::json(std::string text) noexcept : type_(type::text), text_(std::move(text)) {}

json::json(std::string_view text) : type_(type::text), text_(text) {}

json::json(const char* text) : type_(type::text), text_(text) {}

json::json(std::initializer_list<member> members) : type_(type::object), members_(members) {}

json::json(const json&) = default;

json::json(json&& other) noexcept {
    swap(other);
}

json& json::operator=(json other) noexcept {
    swap(other);
    return *this;
}

json::~json() = default;

void json::swap(json& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(natural_, other.natural_);
    std::swap(real_, other.real_);
    text_.swap(other.text_);
    members_.swap(other.members_);
}

json json::array() {
    json made;
    made.type_ = type::array;
    return made;
}

json json::object() {
    json made;
    made.type_ = type::object;
    return made;
}

json& json::push_back(json element) {
    if (is_null()) {
        type_ = type::array;
    }
    members_.push_back({{}, std::move(element)});
    return members_.back().value;
}

json& json::add(std::string name) {
    if (is_null()) {
        type_ = type::object;
    }
    members_.push_back({std::move(name), {}});
    return members_.back().value;
}

json& json::operator[](std::string_view name) {
    const auto found = std::ranges::find(members_, name, &member::name);
    return found != members_.end() ? found->value : add(std::string(name));
}

double json::number() const noexcept {
    return type_ == type::integer   ? static_cast<double>(integer())
           : type_ == type::natural ? static_cast<double>(natural_)
                                    : real_;
}

const json* json::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(members_, name, &member::name);
    return found == members_.end() ? nullptr : &found->value;
}

std::string json::dump(int indent) const {
    writer made(indent);
    made.add(*this);
    return made.take();
}

json json::parse(std::string_view text) {
    builder made;
    library_json::sax_parse(text.begin(), text.end(), &made);
    return made.take();
}

std::string text_of(const json& document) {
    return document.dump(2) + '\n';
}

} // namespace regatta::race
