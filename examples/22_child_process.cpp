// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Starts programs, passes them things, limits their time and sees how they end.

#include <regatta/process/subprocess.hpp>

#include <signal.h>

#include <chrono>
#include <cstdio>
#include <system_error>

int main() {
    using namespace std::chrono_literals;

    // Arguments and variables arrive as they are: no shell looks at them.
    regatta::spawn_options options{.program = "sh", .arguments = {"-c", "exit $ANSWER"}};
    options.environment.set("ANSWER", "3").unset("LANG");
    auto asked = regatta::spawn(options);
    std::printf("sh %s\n", asked.wait().describe().c_str()); // exited with status 3

    auto slow = regatta::spawn({.program = "sleep", .arguments = {"1000"}});
    if (!slow.wait_for(10ms)) {
        slow.kill(SIGTERM);
    }
    std::printf("sleep was %s\n", slow.wait().describe().c_str()); // killed by signal 15 (SIGTERM)

    try {
        regatta::spawn({.program = "/no/such/program"});
    } catch (const std::system_error& error) {
        std::printf("%s\n", error.what());
    }
    return asked.status()->code() == 3 && slow.status()->signal() == SIGTERM ? 0 : 1;
} // A child that still ran would be killed and waited for here.
