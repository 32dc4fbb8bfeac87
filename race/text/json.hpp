// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// JSON: values, and their text. The JSON library is known to json.cpp alone, because each file
/// that includes it costs seconds of compiling.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {

/// A value of a JSON document; the members of an object keep their order.
class json {
public:
    enum class type { null, boolean, integer, natural, real, text, array, object };
    struct member;

    json() noexcept;
    json(std::nullptr_t) noexcept;
    template<std::same_as<bool> Boolean>
    json(Boolean value) noexcept : type_(type::boolean)
                                 , natural_(value ? 1 : 0) {}
    template<std::signed_integral Integer>
    json(Integer value) noexcept
        : type_(type::integer)
        , natural_(static_cast<std::uint64_t>(std::int64_t{value})) {}
    template<std::unsigned_integral Natural>
    requires(!std::same_as<Natural, bool>) json(Natural value)
    noexcept : type_(type::natural), natural_(value) {}
    json(double value) noexcept;
    json(std::string text) noexcept;
    json(std::string_view text);
    json(const char* text);
    /// An array.
    template<class Element>
    json(const std::vector<Element>& elements) : type_(type::array) {
        add_all(elements);
    }
    template<class Element, std::size_t Count>
    json(const std::array<Element, Count>& elements) : type_(type::array) {
        add_all(elements);
    }
    /// An object: `{{"name", 1}, {"other", "text"}}`.
    json(std::initializer_list<member> members);
    json(const json& other);
    json(json&& other) noexcept;
    json& operator=(json other) noexcept;
    ~json();

    static json array();
    static json object();

    /// Adds to an array and returns what was added. A null becomes an array.
    json& push_back(json element);
    /// Adds a member to an object, which has none of that name. A null becomes an object.
    json& add(std::string name);
    /// The member of that name, added where there is none. A null becomes an object.
    json& operator[](std::string_view name);

    type kind() const noexcept { return type_; }
    bool is_null() const noexcept { return type_ == type::null; }
    bool is_number() const noexcept {
        return type_ == type::integer || type_ == type::natural || type_ == type::real;
    }
    /// Of a boolean.
    bool boolean() const noexcept { return natural_ != 0; }
    /// Of an `integer`.
    std::int64_t integer() const noexcept { return static_cast<std::int64_t>(natural_); }
    /// Of a `natural`.
    std::uint64_t natural() const noexcept { return natural_; }
    /// Of a number.
    double number() const noexcept;
    /// Of a text.
    const std::string& text() const noexcept { return text_; }
    /// Of an array, without names, or of an object.
    const std::vector<member>& members() const noexcept { return members_; }
    /// Of an object; null where there is no such member.
    const json* find(std::string_view name) const noexcept;

    /// The document. Text that is no UTF-8, which that of libraries and of the system need not be,
    /// has its wrong bytes replaced. @param indent spaces a level; -1: all in one line.
    std::string dump(int indent = -1) const;
    /// Reads a document. Failure: `json_error`.
    static json parse(std::string_view text);

private:
    void swap(json& other) noexcept;
    template<class Elements>
    void add_all(const Elements& elements) {
        for (const auto& one : elements) {
            push_back(one);
        }
    }

    type type_ = type::null;
    std::uint64_t natural_ = 0; ///< Also a boolean, and the bits of an integer.
    double real_ = 0;
    std::string text_;
    std::vector<member> members_;
};

/// A part of an object, or of an array, where it has no name.
struct json::member {
    std::string name;
    json value;
};

/// The document, indented, with a final newline.
std::string text_of(const json& document);

/// The text of a document cannot be read.
class json_error : public std::runtime_error {
public:
    json_error(const std::string& what, std::size_t byte, std::string number)
        : std::runtime_error(what)
        , byte_(byte)
        , number_(std::move(number)) {}

    /// The text is JSON, but one of its objects has this member twice.
    static json_error repeats(std::string member) {
        json_error made("the member \"" + member + "\" is there twice", 0, "");
        made.repeated_ = std::move(member);
        return made;
    }

    /// The text is JSON, but its arrays and objects nest deeper than is read.
    static json_error nests(std::size_t levels) {
        json_error made("nests more than " + std::to_string(levels) + " levels deep", 0, "");
        made.levels_ = levels;
        return made;
    }

    /// How many bytes had been read; more than there are: the end was not expected.
    std::size_t byte() const noexcept { return byte_; }
    /// The number that no `double` holds; empty: the text is no JSON.
    const std::string& number() const noexcept { return number_; }
    /// The name of the member that is there twice, which may be empty.
    const std::optional<std::string>& repeated() const noexcept { return repeated_; }
    /// How many levels are allowed, if there are more; otherwise 0.
    std::size_t levels() const noexcept { return levels_; }

private:
    std::size_t byte_;
    std::string number_;
    std::optional<std::string> repeated_;
    std::size_t levels_ = 0;
};

} // namespace regatta::race
