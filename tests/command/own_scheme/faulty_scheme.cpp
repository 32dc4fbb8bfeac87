// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A scheme whose items its caller computes. What goes wrong in it says the variable
// REGATTA_TEST_TROUBLE.

#include <regatta/race/item_scheme.hpp>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#if !defined(STATE)
#define STATE 1
#endif

static bool trouble(std::string_view kind) {
    const char* const wanted = std::getenv("REGATTA_TEST_TROUBLE");
    return wanted != nullptr && kind == wanted;
}

/// Not in an unnamed namespace: two files of one process have it, in two states.
class faulty {
public:
    explicit faulty(unsigned workers) {
        if (trouble("make")) {
            throw std::runtime_error("no room for " + std::to_string(workers));
        }
    }
    ~faulty() {
        if (trouble("abort at the end")) {
            std::abort();
        }
    }
    faulty(const faulty&) = delete;
    faulty& operator=(const faulty&) = delete;

    void run(const regatta::scheme_items& items) {
        if (trouble("print")) {
            std::printf("away in state %d\n", STATE);
        }
        for (std::size_t item = trouble("forget") ? 1 : 0; item < items.size(); ++item) {
            items(trouble("twice") && item == 1 ? 0 : item);
            if (trouble("throw")) {
                throw std::runtime_error("the queue is full");
            }
            if (trouble("segv")) {
                ::raise(SIGSEGV);
            }
        }
    }
};

extern "C" const regatta::scheme_entry* regatta_scheme() {
    if (trouble("entry")) {
        throw 1;
    }
    if (trouble("null")) {
        return nullptr;
    }
    if (trouble("version")) {
        static regatta::scheme_entry other = *regatta::scheme_entry_of<faulty>();
        other.version = 77;
        return &other;
    }
    return regatta::scheme_entry_of<faulty>();
}
