// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A fresh folder that only this user may enter.

#include <regatta/base/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace regatta::race {

/// A folder of mode 0700 in $TMPDIR or /tmp, removed with all that is in it.
class temporary_folder {
public:
    temporary_folder() {
        const char* place = std::getenv("TMPDIR");
        path_ =
            std::string(place != nullptr && *place != '\0' ? place : "/tmp") + "/regatta-XXXXXX";
        if (::mkdtemp(path_.data()) == nullptr) {
            fail_system(errno, "make a temporary folder " + path_);
        }
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() {
        std::error_code ignored; // there is nobody left to tell
        std::filesystem::remove_all(path_, ignored);
    }

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

} // namespace regatta::race
