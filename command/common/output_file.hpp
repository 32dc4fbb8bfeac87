// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A file that a result goes to, opened before the work begins.

#include <regatta/base/detail/unique_descriptor.hpp>

#include <string>
#include <string_view>

namespace regatta::command {

/// Opens the file, so that one that cannot be written is known before a race of minutes. What it
/// held stays until `write`; a file that was made for nothing is removed.
class output_file {
public:
    /// @param path "-" is standard output.
    /// Failure: `std::system_error`.
    explicit output_file(std::string path);
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    ~output_file();

    bool is_standard_output() const noexcept { return path_ == "-"; }
    const std::string& path() const noexcept { return path_; }
    /// -1 for standard output.
    int descriptor() const noexcept { return is_standard_output() ? -1 : file_.get(); }
    /// Replaces the content. Failure: `std::system_error`; where the disk has no room for all of it
    /// what the file held stays.
    void write(std::string_view text);
    /// Adds to what was written; the first time replaces the content. Failure: as `write`.
    void append(std::string_view text);

private:
    friend void remove_unwritten_files() noexcept;
    /// Makes the file; a signal handler that ends the process removes it from its first moment on.
    /// @returns false, with `errno`, if it cannot be made, as where there is one.
    bool make(int flags);
    /// A file that was made, also where its folder or the working directory is another by now.
    void remove() const noexcept;

    std::string path_;
    std::string name_;                 ///< Of a file that was made, in this folder.
    detail::unique_descriptor folder_; ///< That one alone.
    detail::unique_descriptor file_;   ///< Of standard output a duplicate.
    bool made_ = false;
    bool written_ = false;
};

/// Removes the files that `output_file`s made and have not written: for an end without destructors.
/// Threads: may be called from a signal handler.
void remove_unwritten_files() noexcept;

/// Takes the place of standard streams that are closed, so that no file and no shared memory gets
/// their numbers and with them what is printed. Reading or writing there fails with EBADF.
void hold_standard_descriptors() noexcept;

/// Writes all of it, and waits while a pipe is full, also a non-blocking one. Failure:
/// `std::system_error`, with `what` as the operation.
void write_all(int to, std::string_view text, const std::string& what);

} // namespace regatta::command
