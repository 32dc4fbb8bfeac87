// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "text/json.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using regatta::race::json;
using regatta::race::json_error;

TEST(race_text_json, writes_each_kind_of_value) {
    EXPECT_EQ(json().dump(), "null");
    EXPECT_EQ(json(nullptr).dump(), "null");
    EXPECT_EQ(json(true).dump(), "true");
    EXPECT_EQ(json(-7).dump(), "-7");
    EXPECT_EQ(json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
    EXPECT_EQ(json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
    EXPECT_EQ(json(0.5).dump(), "0.5");
    EXPECT_EQ(json(3.0).dump(), "3.0");
    EXPECT_EQ(json(std::numeric_limits<double>::quiet_NaN()).dump(), "null");
    EXPECT_EQ(json("a\"\n").dump(), R"("a\"\n")");
    EXPECT_EQ(json(std::vector<std::string>{"a", "b"}).dump(), R"(["a","b"])");
    EXPECT_EQ(json(std::array<double, 2>{1.5, 2.5}).dump(), "[1.5,2.5]");
    EXPECT_EQ(json::array().dump(), "[]");
    EXPECT_EQ(json::object().dump(), "{}");
}

TEST(race_text_json, members_keep_their_order_and_are_replaced) {
    json value = {{"z", 1}, {"a", {{"inner", "text"}}}};
    value["m"] = true;
    value["z"] = 2;
    EXPECT_EQ(value.dump(), R"({"z":2,"a":{"inner":"text"},"m":true})");
    json list;
    list.push_back({{"name", nullptr}});
    list.push_back(1U);
    EXPECT_EQ(list.dump(), R"([{"name":null},1])");
    EXPECT_EQ(regatta::race::text_of(json{{"a", 1}}), "{\n  \"a\": 1\n}\n");
}

TEST(race_text_json, replaces_bytes_that_are_no_utf_8) {
    EXPECT_EQ(json("a\xFFz").dump(), "\"a\xEF\xBF\xBDz\"");
}

TEST(race_text_json, reads_what_it_writes) {
    const std::string text = R"({"a":[1,-2,2.5,true,null,"x"],"b":{},"c":[]})";
    const json read = json::parse(text);
    EXPECT_EQ(read.dump(), text);
    ASSERT_NE(read.find("a"), nullptr);
    EXPECT_EQ(read.find("none"), nullptr);
    const auto& parts = read.find("a")->members();
    ASSERT_EQ(parts.size(), 6U);
    EXPECT_EQ(parts[0].value.number(), 1);
    EXPECT_EQ(parts[1].value.number(), -2);
    EXPECT_EQ(parts[1].value.integer(), -2);
    EXPECT_EQ(parts[2].value.number(), 2.5);
    EXPECT_TRUE(parts[3].value.boolean());
    EXPECT_TRUE(parts[4].value.is_null());
    EXPECT_EQ(parts[5].value.text(), "x");
    json copy = read;
    copy["a"] = 1;
    EXPECT_EQ(read.dump(), text);
}

TEST(race_text_json, refuses_a_member_that_is_there_twice) {
    const auto refusal_of = [](const char* text) -> std::string {
        try {
            return "read as " + json::parse(text).dump();
        } catch (const json_error& e) {
            return e.what();
        }
    };
    EXPECT_EQ(refusal_of(R"({"a":1,"b":2,"a":[3]})"), R"(the member "a" is there twice)");
    EXPECT_EQ(refusal_of(R"([{"b":{"":1,"":1}}])"), R"(the member "" is there twice)");
    EXPECT_EQ(refusal_of(R"({"a":{"a":{}},"b":[{"a":1},{"a":1}]})"),
              R"(read as {"a":{"a":{}},"b":[{"a":1},{"a":1}]})");
}

TEST(race_text_json, says_where_a_text_is_wrong) {
    const auto error_of = [](const std::string& text) {
        try {
            json::parse(text);
        } catch (const json_error& e) {
            return e;
        }
        ADD_FAILURE() << text << " was read";
        return json_error("", 0, "");
    };
    EXPECT_EQ(error_of("{]").byte(), 2U);
    EXPECT_GT(error_of("[1,").byte(), 3U); // The end.
    EXPECT_GT(error_of("").byte(), 0U);
    EXPECT_EQ(error_of("{]").number(), "");
    EXPECT_EQ(error_of("[1e999]").number(), "1e999");
}

TEST(race_text_json, no_object_has_too_many_members_to_be_read) {
    std::string text = "{";
    for (int i = 0; i < 300'000; ++i) {
        text += (i == 0 ? "\"" : ",\"") + std::to_string(1'000'000 + i) + "\":1";
    }
    EXPECT_EQ(json::parse(text + "}").members().size(), 300'000U); // In minutes otherwise.
    EXPECT_THROW(json::parse(text + ",\"1000000\":1}"), json_error);
}

TEST(race_text_json, a_document_that_nests_too_deep_is_refused) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    const json read = json::parse(nested(1000));
    EXPECT_EQ(read.dump(), nested(1000));
    for (const std::size_t depth : {1001, 300'000}) {
        try {
            json::parse(nested(depth));
            ADD_FAILURE() << depth << " levels were read";
        } catch (const json_error& e) {
            EXPECT_EQ(e.levels(), 1000U);
            EXPECT_STREQ(e.what(), "nests more than 1000 levels deep");
        }
    }
}

TEST(race_text_json, indents_what_is_within) {
    const json value = {{"list", json::array()}, {"of", {{"a", 1}, {"b", std::vector<int>{1, 2}}}}};
    EXPECT_EQ(value.dump(2), R"({
  "list": [],
  "of": {
    "a": 1,
    "b": [
      1,
      2
    ]
  }
})");
}

} // namespace
