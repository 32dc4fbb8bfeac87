// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Everything that a lease of CPUs reads from the machine and does to it.

#include <regatta/cpu/cpu_set.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

/// Where leases are written down.
inline constexpr const char* default_journal = "/run/regatta";

/// The machine as a lease of CPUs sees it: its files, and the affinity of its tasks. A test derives
/// from it to have any act fail, or to be told of each.
///
/// All paths are absolute and are looked up below the root. The acts return 0 or the error number.
/// Threads: any.
class exclusive_system {
public:
    /// @param root a directory that stands in for `/`.
    /// @param journal the folder of the journal, below the root; all leases of a machine share one.
    explicit exclusive_system(std::string root = {}, std::string journal = default_journal)
        : root_(std::move(root))
        , journal_(std::move(journal)) {}
    exclusive_system(const exclusive_system&) = delete;
    exclusive_system& operator=(const exclusive_system&) = delete;
    virtual ~exclusive_system() = default;

    const std::string& root() const noexcept { return root_; }
    const std::string& journal() const noexcept { return journal_; }

    /// The text of a small file; nothing if it cannot be read.
    virtual std::optional<std::string> read(const std::string& path);
    /// The names in a directory, in order; none if it cannot be read.
    virtual std::vector<std::string> list(const std::string& path);
    /// The names of the directories in a directory, in order.
    virtual std::vector<std::string> list_folders(const std::string& path);
    /// Whether there is such a file or directory.
    virtual bool exists(const std::string& path);
    /// Why a file or directory cannot be read: 0 if it can; ENOENT: there is none.
    virtual int read_error(const std::string& path);
    /// Whether only this user and root can have written the file or directory.
    virtual bool is_trusted(const std::string& path);

    /// Writes a text to a file that exists, in one piece.
    virtual int write(const std::string& path, const std::string& text);
    /// Adds a text to the end of a file, which is created if need be, and has it on its way to the
    /// disk before it returns.
    virtual int append(const std::string& path, const std::string& text);
    virtual int make_directory(const std::string& path);
    virtual int remove_directory(const std::string& path);
    virtual int remove_file(const std::string& path);
    /// Restricts a thread of any process. @param thread its number; 0: the calling thread.
    virtual int set_affinity(int thread, const cpu_set& cpus);

    /// Opens a file, created if need be, and locks it against every other such lock. Blocks: up to
    /// ten seconds.
    /// @returns a descriptor to close, or the negative error number; -EWOULDBLOCK: another has it.
    virtual int lock(const std::string& path);
    virtual void unlock(int file) noexcept;

    /// This process, as the root's `/proc` numbers it.
    virtual int this_process() noexcept;
    /// Tells numberings of processes apart, of which a container has its own.
    virtual std::string process_numbering();
    /// Whether this process sees all processes of the machine: it is in the first numbering, which
    /// has the same name everywhere.
    virtual bool sees_all_processes();
    /// The numbering in which a process is; empty where this cannot be known.
    virtual std::string numbering_of(int process);
    /// The calling thread.
    virtual int this_thread() noexcept;

private:
    enum class open_kind { existing, journal };

    std::vector<std::string> names(const std::string& path, bool only_folders) const;
    int put(const std::string& path, const std::string& text, open_kind kind);

    std::string root_;
    std::string journal_;
};

} // namespace regatta::detail
