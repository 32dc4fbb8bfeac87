// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "watch/watch_output.hpp"

#include "common/output_file.hpp"

#include <regatta/base/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace regatta::command {
namespace {

/// Reads up to `size` bytes from there on.
std::string read_at(int file, std::int64_t from, std::size_t size) {
    std::string text(size, '\0');
    ssize_t got = -1;
    while ((got = ::pread(file, text.data(), size, from)) < 0 && errno == EINTR) {
    }
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

} // namespace

watch_output::watch_output() {
    if (std::FILE* const made = std::tmpfile()) {
        // What opens /dev/stdout or /dev/stderr empties the file: the others go on at its end.
        ::fcntl(::fileno(made), F_SETFL, O_APPEND);
        file_ = detail::unique_descriptor(::fcntl(::fileno(made), F_DUPFD_CLOEXEC, 3));
        std::fclose(made);
    }
    if (!file_) {
        fail_system(errno, "make a temporary file for the output of the program");
    }
}

std::string watch_output::last_line() const {
    struct stat about {};
    if (::fstat(file_.get(), &about) != 0) {
        return {};
    }
    constexpr std::int64_t longest = 4096;
    const std::int64_t from = std::max<std::int64_t>(0, about.st_size - longest);
    const std::string text = read_at(file_.get(), from, static_cast<std::size_t>(longest));
    std::string_view rest(text);
    constexpr std::string_view ends = "\r\n";
    const auto last = rest.find_last_not_of(ends);
    if (last == rest.npos) {
        return {};
    }
    rest = rest.substr(0, last + 1);
    return std::string(rest.substr(rest.find_last_of(ends) + 1));
}

void watch_output::copy_new(int to) {
    struct stat about {};
    if (::fstat(file_.get(), &about) == 0 && about.st_size < copied_) {
        copied_ = 0; // It was emptied: all of it is new.
    }
    constexpr std::size_t piece = 64 * 1024;
    for (;;) {
        const std::string text = read_at(file_.get(), copied_, piece);
        if (text.empty()) {
            return;
        }
        copied_ += static_cast<std::int64_t>(text.size());
        write_all(to, text, "cannot write the output of the program");
    }
}

} // namespace regatta::command
