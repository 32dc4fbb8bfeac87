// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/subprocess.hpp>

#include <sys/wait.h>

#include <cstring>
#include <string>

namespace regatta {

bool exit_status::exited() const noexcept {
    return WIFEXITED(status_);
}

int exit_status::code() const noexcept {
    return exited() ? WEXITSTATUS(status_) : -1;
}

bool exit_status::signaled() const noexcept {
    return WIFSIGNALED(status_);
}

int exit_status::signal() const noexcept {
    return signaled() ? WTERMSIG(status_) : 0;
}

bool exit_status::core_dumped() const noexcept {
    return signaled() && WCOREDUMP(status_);
}

bool exit_status::success() const noexcept {
    return exited() && code() == 0;
}

std::string exit_status::describe() const {
    if (exited()) {
        return "exited with status " + std::to_string(code());
    }
    std::string text = "killed by signal " + std::to_string(signal());
    if (const char* name = ::sigabbrev_np(signal())) {
        text += std::string(" (SIG") + name + ")";
    }
    if (core_dumped()) {
        text += ", core dumped";
    }
    return text;
}

} // namespace regatta
