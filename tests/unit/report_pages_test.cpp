// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation_results.hpp"
#include "race_results.hpp"
#include "report/common/grid.hpp"
#include "report/common/page.hpp"
#include "report/isolation/isolation_table.hpp"
#include "report/race/full_text.hpp"
#include "report/scale/scale_text.hpp"
#include "scale_results.hpp"
#include "text/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

const race::text_style markdown = race::page_style(race::text_medium::markdown);
const race::text_style html = race::page_style(race::text_medium::html);

/// A report of each kind.
std::vector<std::string> reports(const race::text_style& style) {
    const race::provenance from = fakes::some_machine();
    return {
        race::page_of(race::to_text(fakes::three_schemes(), from, style), from, style),
        race::page_of(race::to_text(fakes::of_the_evaluation().result, from, style), from, style),
        race::page_of(race::to_text(fakes::under_hostile_noise().finish(), from, style), from,
                      style)};
}

/// The elements that are open where they should not be; "" of a page that is well formed.
std::string left_open(std::string_view page) {
    std::vector<std::string> open;
    for (auto at = page.find('<'); at != page.npos; at = page.find('<', at + 1)) {
        const std::string_view tag = page.substr(at + 1, page.find('>', at) - at - 1);
        const std::string name(tag.substr(0, tag.find(' ')));
        if (name == "!doctype" || name == "meta") {
            continue;
        }
        if (!name.starts_with('/')) {
            open.push_back(name);
        } else if (open.empty() || '/' + open.back() != name) {
            return "<" + name + "> without its begin";
        } else {
            open.pop_back();
        }
    }
    return open.empty() ? "" : open.back();
}

} // namespace

TEST(report_pages, html_is_well_formed) {
    for (const std::string& page : reports(html)) {
        EXPECT_EQ(left_open(page), "") << page;
        EXPECT_THAT(page, AllOf(StartsWith("<!doctype html>"), HasSubstr("<table>"),
                                Not(HasSubstr("\x1b"))));
    }
}

TEST(report_pages, the_rows_of_a_markdown_table_have_its_columns) {
    for (const std::string& page : reports(markdown)) {
        EXPECT_THAT(page, AllOf(StartsWith("### "), HasSubstr(" --: |"), Not(HasSubstr("\x1b"))));
        std::ptrdiff_t columns = 0;
        for (const std::string& line : fakes::lines_of(page)) {
            const auto bars = std::ranges::count(line, '|');
            if (!line.starts_with('|')) {
                columns = 0;
                continue;
            }
            EXPECT_TRUE(columns == 0 || columns == bars) << line;
            columns = bars;
        }
    }
}

TEST(report_pages, have_all_columns) {
    for (const auto& style : {markdown, html}) {
        EXPECT_THAT(race::to_text(fakes::three_schemes(), fakes::some_machine(), style),
                    AllOf(HasSubstr("95 % interval"), HasSubstr("speed-up"),
                          HasSubstr("where the time went"), HasSubstr("█")));
    }
}

TEST(report_pages, say_where_the_figures_come_from) {
    for (const auto& style : {markdown, html}) {
        EXPECT_THAT(reports(style).front(),
                    AllOf(HasSubstr("<details>"), HasSubstr("\nProcessor\n")));
    }
    EXPECT_EQ(race::page_of("text", fakes::some_machine(), {}), "text"); // a screen shows no more
}

TEST(report_pages, drawings_keep_their_blanks) {
    const std::vector<race::grid_column> drawn{
        {.title = "drawn", .cells = {" ▂ ", ""}, .drawn = true}};
    EXPECT_EQ(race::grid_text(drawn, markdown),
              "| drawn |\n| --: |\n| `\u00a0▂\u00a0` |\n|  |\n\n");
}

// "Where even the columns that stay are too wide for a screen, the widest one of words is
// shortened"
TEST(grid, the_widest_words_are_shortened) {
    const std::vector<race::grid_column> columns{
        {.title = "race", .to_the_left = true, .cells = {"size 512, workers 2"}},
        {.title = "median", .cells = {"1.25 ms"}},
        {.title = "who", .to_the_left = true, .cells = {"steady, balanced, openmp, tbb_group"}}};
    EXPECT_EQ(race::grid_text(columns, {.width = 60, .unicode = false}),
              "race                  median  who\n"
              "size 512, workers 2  1.25 ms  steady, balanced, openmp, tbb~\n");
    EXPECT_EQ(race::grid_text(columns, {.width = 40, .unicode = false}),
              "race             median  who\n"
              "size 512, wor~  1.25 ms  steady, balanc~\n");
    EXPECT_EQ(race::grid_text(columns, {.width = 1, .unicode = false}),
              "~   median  ~\n~  1.25 ms  ~\n");
}

TEST(report_pages, a_command_of_several_lines_stays_where_it_is) {
    race::provenance from = fakes::some_machine();
    from.command = {"regatta", "race", "a=true\n```\n</details>\n# two"};
    const std::string page = race::page_of("", from, markdown);
    EXPECT_EQ(page.find("```"), page.find("```\nregatta race"));
    EXPECT_THAT(page, Not(HasSubstr("\n# two")));
    EXPECT_EQ(left_open(race::page_of("", from, html)), "");
}

TEST(report_pages, text_of_others_means_nothing_there) {
    EXPECT_EQ(race::escaped(R"(<b>&"|*_a_b_)", html), "&lt;b&gt;&amp;&quot;|*_a_b_");
    EXPECT_EQ(race::escaped(R"(<b>|*_a_b_[c]\)", markdown), R"(\<b>\|\*\_a_b\_\[c\]\\)");
    EXPECT_EQ(race::escaped("<b>", {}), "<b>");
    EXPECT_EQ(race::escaped("`a`~~b~~", markdown), R"(\`a\`\~\~b\~\~)");
    EXPECT_EQ(race::paragraph("# none", markdown), "\\# none\n\n");
    EXPECT_EQ(race::paragraph("- none", markdown), "\\- none\n\n");
    EXPECT_EQ(race::paragraph("1. won", markdown), "1\\. won\n\n");
    EXPECT_EQ(race::paragraph("12 rounds.", markdown), "12 rounds.\n\n");
    EXPECT_EQ(race::paragraph("a < b", html, "1;33"), "<p class=\"c1 c33\">a &lt; b</p>\n");
    EXPECT_EQ(race::coloured("<", "32", html), "<span class=\"c32\">&lt;</span>");

    race::race_result result = fakes::three_schemes();
    result.schemes.front().name = "a|<i>";
    EXPECT_THAT(race::to_text(result, fakes::some_machine(), markdown), HasSubstr(R"(a\|\<i>)"));
    EXPECT_THAT(race::to_text(result, fakes::some_machine(), html), Not(HasSubstr("<i>")));
}
