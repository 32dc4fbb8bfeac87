// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Words are counted in parallel and merged under a spinlock.

#include <regatta/compat/hipe.hpp>

using namespace hipe;

int main() {
    std::vector<std::string> lines;
    for (int i = 0; i < 300; ++i) {
        lines.push_back(i % 3 == 0 ? "wind and sail" : "sail and oar and sail");
    }

    std::map<std::string, int> total;
    util::spinlock lock;
    SteadyThreadPond pond; // all CPUs
    std::size_t cursor = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        pond.submit([&, line = lines[cursor]] {
            std::map<std::string, int> words;
            for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
                to = line.find(' ', from);
                ++words[line.substr(from, to - from)];
            }
            util::spinlock_guard guard(lock);
            for (const auto& [word, count] : words) {
                total[word] += count;
            }
        });
        util::recyclePlus(cursor, std::size_t{0}, lines.size());
    }
    pond.waitForTasks();
    for (const auto& [word, count] : total) {
        util::print(word, ": ", count);
    }
    return total["sail"] == 100 + 400 && total["and"] == 100 + 400 && total["wind"] == 100 &&
                   total["oar"] == 200
               ? 0
               : 1;
}
