// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The other process of the process tests. It does what its first argument says, answers with one
// line on its standard output, and stays until its standard input ends.

#include <regatta/process/shared_memory.hpp>
#include <regatta/process/subprocess.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

namespace {

void answer(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

void stay() {
    char ignored = 0;
    while (::read(STDIN_FILENO, &ignored, 1) > 0) {
    }
}

/// The text in the segment.
std::string text_in(const regatta::shared_memory& memory) {
    return reinterpret_cast<const char*>(memory.data());
}

int act(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const auto argument = [&](int i) { return std::string(i < argc ? argv[i] : ""); };
    const auto layout = [&](int i) { return regatta::layout_hash(argument(i)); };
    if (what == "create" || what == "replace") { // NAME SIZE LAYOUT TEXT
        const auto size = std::strtoul(argument(3).c_str(), nullptr, 10);
        auto memory = what == "create"
                          ? regatta::shared_memory::create(argument(2), size, layout(4))
                          : regatta::shared_memory::replace(argument(2), size, layout(4));
        std::strcpy(reinterpret_cast<char*>(memory.data()), argument(5).c_str());
        answer("made " + memory.name());
        stay();
        return 0;
    }
    if (what == "open") { // NAME LAYOUT
        const auto memory = regatta::shared_memory::open(argument(2), layout(3));
        answer(text_in(memory));
        stay();
        return 0;
    }
    if (what == "attach") { // DESCRIPTOR LAYOUT TEXT: answers the old text, leaves the new one
        const auto memory = regatta::shared_memory::attach(std::atoi(argv[2]), layout(3));
        answer(text_in(memory));
        std::strcpy(reinterpret_cast<char*>(memory.data()), argument(4).c_str());
        return 0;
    }
    if (what == "grandchild") { // DEATH_SIGNAL: starts a child that holds the standard output too
        const auto child = regatta::spawn(
            {.program = "sleep", .arguments = {"1000"}, .death_signal = std::atoi(argv[2])});
        answer(std::to_string(child.pid()));
        stay();
        return 0;
    }
    answer("unknown: " + what);
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return act(argc, argv);
    } catch (const std::exception& error) {
        answer(std::string("error: ") + error.what());
        return 1;
    }
}
