// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Whole lines from many threads, into a stream of one's own, and the ornaments.

#include <regatta/compat/hipe.hpp>

#include <sstream>

using namespace hipe;

int main() {
    std::ostringstream text;
    util::SyncStream out(text); // the default is std::cout
    {
        SteadyThreadPond pond(4);
        for (int i = 0; i < 500; ++i) {
            pond.submit([&out, i] { out.print("line ", i, " of task ", i); });
        }
        pond.waitForTasks();
    }
    std::istringstream lines(text.str());
    std::vector<bool> seen(500);
    int whole = 0;
    for (std::string line; std::getline(lines, line);) {
        int i = -1;
        int j = -1;
        if (std::sscanf(line.c_str(), "line %d of task %d", &i, &j) == 2 && i == j &&
            !seen[static_cast<std::size_t>(i)]) {
            seen[static_cast<std::size_t>(i)] = true;
            ++whole;
        }
    }

    util::print(util::title("Output"));
    util::print(util::boundary('-', 5), util::strong("lines"), util::boundary('-', 5));
    util::print(whole, " whole lines");
    const bool ornaments = util::title("A", 2) == "=====\n* A *\n=====" &&
                           util::strong("A") == "<[A]>" && util::strong("A", 3) == "<[ A ]>" &&
                           util::boundary('=', 3) == "===";
    return whole == 500 && ornaments ? 0 : 1;
}
