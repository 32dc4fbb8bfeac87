// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the tests of named segments share.

#include <regatta/process/shared_memory.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

namespace process_test {

/// A name of this test's own, gone afterwards whatever happened.
class segment_name {
public:
    segment_name()
        : name_("/regatta_test_" + std::to_string(::getpid()) + "_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
        ::unlink(path().c_str());
    }
    segment_name(const segment_name&) = delete;
    segment_name& operator=(const segment_name&) = delete;
    ~segment_name() { ::unlink(path().c_str()); }
    const std::string& text() const { return name_; }
    std::string path() const { return "/dev/shm" + name_; }
    bool exists() const { return ::access(path().c_str(), F_OK) == 0; }

private:
    std::string name_;
};

/// The number and the text of the error that an action ends with.
template<class Action>
std::pair<int, std::string> error_of(Action action) {
    try {
        action();
    } catch (const std::system_error& error) {
        return {error.code().value(), error.what()};
    }
    return {0, "nothing was thrown"};
}

inline char* text_of(const regatta::shared_memory& memory) {
    return reinterpret_cast<char*>(memory.data());
}

} // namespace process_test
