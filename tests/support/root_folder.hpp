// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A machine made of files.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <system_error>

namespace library_test {

/// A directory that stands in for `/` and is gone at the end.
class root_folder {
public:
    root_folder() {
        std::random_device random;
        do {
            path_ = testing::TempDir() + "/regatta_root_" + std::to_string(random());
        } while (!std::filesystem::create_directory(path_));
    }
    root_folder(const root_folder&) = delete;
    root_folder& operator=(const root_folder&) = delete;
    ~root_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    const root_folder& file(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(path_ + name).parent_path());
        std::ofstream(path_ + name, std::ios::binary) << text;
        return *this;
    }
    /// Shows something of the real machine in this one.
    const root_folder& link(const std::string& name, const std::string& target) const {
        std::filesystem::create_directories(std::filesystem::path(path_ + name).parent_path());
        std::filesystem::create_symlink(target, path_ + name);
        return *this;
    }
    std::string text(const std::string& name) const {
        std::ifstream file(path_ + name);
        std::ostringstream content;
        content << file.rdbuf();
        return content.str();
    }
    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

} // namespace library_test
