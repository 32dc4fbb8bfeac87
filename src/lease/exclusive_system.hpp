// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The system calls of a lease: everything that it reads from the machine and changes there.

#include <regatta/cpu/cpu_set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace regatta::detail {

/// The folder of the journal.
inline constexpr const char* default_journal = "/run/regatta";

/// The machine as a lease of CPUs sees it: its files, and the affinity of its tasks. Tests derive
/// from it to make an action fail or to observe each one.
///
/// All paths are absolute and are resolved below the root. Actions return 0 or the error number.
///
/// Threads: any.
class exclusive_system {
public:
    /// @param root a directory to use instead of `/`.
    /// @param journal the folder of the journal, below the root; all leases of a machine share one.
    explicit exclusive_system(std::string root = {}, std::string journal = default_journal);
    exclusive_system(const exclusive_system&) = delete;
    exclusive_system& operator=(const exclusive_system&) = delete;
    virtual ~exclusive_system() = default;

    const std::string& root() const noexcept { return root_; }
    const std::string& journal() const noexcept { return journal_; }

    /// The text of a small file; nothing if it cannot be read.
    virtual std::optional<std::string> read(const std::string& path);
    /// The names in a directory, sorted; none if it, or a part of it, cannot be read.
    virtual std::vector<std::string> list(const std::string& path);
    /// The names of the directories in a directory, sorted.
    virtual std::vector<std::string> list_folders(const std::string& path);
    /// Whether there is such a file or directory.
    virtual bool exists(const std::string& path);
    /// Why a file or directory cannot be read: 0 if it can; ENOENT: it does not exist.
    virtual int read_error(const std::string& path);
    /// Whether a file does not exist, or belongs to a task that has ended. A file that cannot be
    /// read for another reason, say for want of descriptors, is not gone.
    bool is_gone(const std::string& path);
    /// Whether only this user and root can have written the file or directory.
    virtual bool is_trusted(const std::string& path);

    /// Writes a text to an existing file, in one piece.
    virtual int write(const std::string& path, const std::string& text);
    /// Appends a text to a file, which is created if necessary, and flushes it to the disk
    /// (fdatasync).
    virtual int append(const std::string& path, const std::string& text);
    /// Cuts a file off after `size` bytes.
    virtual int shorten(const std::string& path, std::size_t size);
    virtual int make_directory(const std::string& path);
    virtual int remove_directory(const std::string& path);
    virtual int remove_file(const std::string& path);
    /// Gives the file `from` the name `to`, which another file may have until then.
    virtual int rename_file(const std::string& from, const std::string& to);
    /// Restricts a thread of any process to `cpus`.
    /// @param thread its number; 0: the calling thread.
    virtual int set_affinity(int thread, const cpu_set& cpus);
    /// The CPUs to which a thread of any process is restricted; none if that is unknown. Only for
    /// systems whose files do not list them.
    virtual cpu_set affinity(int thread);

    /// Opens a file, created if necessary, and locks it: for this holder alone, or shared with
    /// others that ask for that.
    ///
    /// Blocks: up to ten seconds.
    /// @returns a descriptor for `unlock`, or the negative error number; -EWOULDBLOCK: another
    /// process holds the lock.
    virtual int lock(const std::string& path, bool shared);
    virtual void unlock(int file) noexcept;

    /// This process, as the root's `/proc` numbers it.
    virtual int this_process() noexcept;
    /// The PID namespace of this process; a container has its own.
    virtual std::string process_numbering();
    /// Whether /proc numbers the processes of another PID namespace than this process's own, as
    /// after `unshare --pid --fork` without `--mount-proc`.
    virtual bool is_proc_foreign();
    /// Whether this process sees all processes of the machine. It does in the initial PID
    /// namespace, which has the same name everywhere, unless /proc hides those of other users.
    virtual bool sees_all_processes();
    /// Whether a process lives that /proc does not show: it may be mounted with hidepid=2.
    virtual bool is_hidden_process(int process);
    /// The PID namespace of a process; empty if unknown.
    virtual std::string numbering_of(int process);
    /// The calling thread.
    virtual int this_thread() noexcept;
    /// What the time namespace of this process adds to the start of each task in /proc, in clock
    /// ticks. Without it, a start is the same in all of them.
    std::int64_t start_offset() const noexcept { return start_offset_; }

private:
    enum class open_kind { existing, journal };

    std::vector<std::string> names(const std::string& path, bool only_folders) const;
    int put(const std::string& path, const std::string& text, open_kind kind);

    std::string root_;
    std::string journal_;
    std::int64_t start_offset_ = 0;
};

} // namespace regatta::detail
