// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "programs/last_line.hpp"
#include "programs/program.hpp"
#include "schemes/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace regatta::race;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<std::string> words_of(const std::string& command) {
    return parse_program("a=" + command).words;
}

std::string refusal_of(const std::string& text) {
    try {
        parse_program(text);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "taken";
}

} // namespace

TEST(program_command, has_a_name_and_words) {
    const program_command program = parse_program("my-xz=xz  -T{workers} -k file=a");
    EXPECT_EQ(program.name, "my-xz");
    EXPECT_EQ(program.text, "xz  -T{workers} -k file=a");
    EXPECT_THAT(program.words, ElementsAre("xz", "-T{workers}", "-k", "file=a"));
}

// docs/reference/race.md: "it is parted at blanks, and '…', "…" and \ quote as in a shell".
TEST(program_command, quotes_as_a_shell_does) {
    EXPECT_THAT(words_of("p 'a b' \"c d\" e\\ f"), ElementsAre("p", "a b", "c d", "e f"));
    EXPECT_THAT(words_of("p a'b c'd \"\" ''"), ElementsAre("p", "ab cd", "", ""));
    EXPECT_THAT(words_of("p '$x|\"' \"\\\"\\$\\\\\\n\""), ElementsAre("p", "$x|\"", "\"$\\\\n"));
    EXPECT_THAT(words_of(" p\t\tq \n"), ElementsAre("p", "q"));
    // A line that goes on in the next one, as long commands are written.
    EXPECT_THAT(words_of("p a \\\n  b\\\nc \"d\\\ne\" 'f\\\ng'"),
                ElementsAre("p", "a", "bc", "de", "f\\\ng"));
    EXPECT_THAT(words_of("p \\| \\$x '*.txt' \"~\" \\#"),
                ElementsAre("p", "|", "$x", "*.txt", "~", "#"));
    // A shell takes these as they are, too.
    EXPECT_THAT(words_of("p a~ b#c ''~ X=1"), ElementsAre("p", "a~", "b#c", "~", "X=1"));
}

TEST(program_command, refuses_what_is_none) {
    EXPECT_THAT(refusal_of("xz -k"), AllOf(HasSubstr("\"xz -k\""), HasSubstr("NAME=COMMAND")));
    EXPECT_THAT(refusal_of("my xz=xz"), HasSubstr("NAME=COMMAND"));
    EXPECT_THAT(refusal_of("=xz"), HasSubstr("empty name"));
    EXPECT_THAT(refusal_of(""), HasSubstr("NAME=COMMAND"));
    EXPECT_THAT(refusal_of("a="), AllOf(HasSubstr("a: "), HasSubstr("empty")));
    EXPECT_THAT(refusal_of("a=  "), HasSubstr("empty"));
    EXPECT_THAT(refusal_of("a='' b"), HasSubstr("empty"));
    EXPECT_THAT(refusal_of("a=b 'c d"), AllOf(HasSubstr("quote '"), HasSubstr("character 3")));
    EXPECT_THAT(refusal_of("a=b \"c"), HasSubstr("quote \""));
    EXPECT_THAT(refusal_of("a=b \\"), HasSubstr("\\"));
}

TEST(program_command, refuses_what_needs_a_shell_and_says_how_to_get_one) {
    for (const std::string command :
         {"x | y", "x > y", "x < y", "x; y", "x & y", "x $y", "x `y`", "(x)", "x \"$y\"", "x *.cpp",
          "x y?", "x [ab]c", "x ~", "~/x", "x # y"}) {
        EXPECT_THAT(refusal_of("a=" + command), HasSubstr("a=sh -c '...'")) << command;
    }
    EXPECT_THAT(refusal_of("a= X_1=2 y"), AllOf(HasSubstr("\"X_1=\""), HasSubstr("a=env X_1=...")));
    for (const std::string command : {"'X'=1", "x y=1", "-x=1", "1x=1", "./x=1", "x"}) {
        EXPECT_EQ(refusal_of("a=" + command), "taken") << command;
    }
}

TEST(program_command, workers_are_put_in) {
    EXPECT_EQ(with_workers("x --threads={workers} {workers}", 12), "x --threads=12 12");
    EXPECT_EQ(with_workers("{worker} {workers", 2), "{worker} {workers");
    EXPECT_EQ(with_workers("", 2), "");
}

TEST(program_command, why_it_cannot_be_started) {
    const temporary_folder folder;
    const std::string file = folder.path() + "/file";
    std::ofstream(file) << "text";
    EXPECT_EQ(why_not_startable("sh"), "");
    EXPECT_EQ(why_not_startable("/bin/sh"), "");
    EXPECT_EQ(why_not_startable("no-such-program"),
              "there is no program \"no-such-program\" in PATH");
    EXPECT_THAT(why_not_startable(folder.path() + "/nothing"), HasSubstr("No such file"));
    EXPECT_THAT(why_not_startable(folder.path()), HasSubstr("not a file"));
    EXPECT_THAT(why_not_startable(file), HasSubstr("not executable"));
}

TEST(last_line, is_the_last_that_is_not_blank) {
    last_line line;
    EXPECT_EQ(line.text(), "");
    line.add("one\ntw");
    line.add("o\n\n  \n");
    EXPECT_EQ(line.text(), "two");
    line.add("50 %\r99 %\rthree \x1b[1mbold");
    EXPECT_EQ(line.text(), "three  [1mbold");
    line.add(std::string(10'000, 'x'));
    EXPECT_EQ(line.text(), std::string(last_line::most, 'x'));
    line.add("\xC2\x9B"
             "31mred, caf\xC3\xA9, no \x9B UTF-8");
    EXPECT_EQ(line.text(), "?31mred, caf\xC3\xA9, no ? UTF-8");
}
