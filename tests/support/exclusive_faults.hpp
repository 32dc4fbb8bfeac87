// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A machine on which every act of a lease can be made to fail, or be the process's last.

#include "lease/exclusive_system.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace exclusive_test {

/// Asks before every act whether it shall fail.
class faulty_system : public regatta::detail::exclusive_system {
public:
    using exclusive_system::exclusive_system;

    /// Gets the act, "write PATH TEXT" or the like; returns the error number that it shall have, 0
    /// for none.
    std::function<int(const std::string& act)> before_act = [](const std::string&) { return 0; };
    /// How many acts there were.
    int acts = 0;
    /// The error number that locking has; no act.
    int lock_error = 0;
    /// Whether a file or folder cannot be read.
    std::function<bool(const std::string& path)> is_hidden = [](const std::string&) {
        return false;
    };

    int lock(const std::string& path, bool shared) override {
        return lock_error != 0 ? -lock_error : exclusive_system::lock(path, shared);
    }
    std::optional<std::string> read(const std::string& path) override {
        return is_hidden(path) ? std::nullopt : exclusive_system::read(path);
    }
    std::vector<std::string> list(const std::string& path) override {
        return is_hidden(path) ? std::vector<std::string>() : exclusive_system::list(path);
    }
    int read_error(const std::string& path) override {
        return is_hidden(path) ? EACCES : exclusive_system::read_error(path);
    }

    int write(const std::string& path, const std::string& text) override {
        const int error = asked("write " + path + " " + text);
        return error != 0 ? error : exclusive_system::write(path, text);
    }
    int append(const std::string& path, const std::string& text) override {
        const int error = asked("append " + path + " " + text);
        return error != 0 ? error : exclusive_system::append(path, text);
    }
    int shorten(const std::string& path, std::size_t size) override {
        const int error = asked("shorten " + path + " " + std::to_string(size));
        return error != 0 ? error : exclusive_system::shorten(path, size);
    }
    int make_directory(const std::string& path) override {
        const int error = asked("mkdir " + path);
        return error != 0 ? error : exclusive_system::make_directory(path);
    }
    int remove_directory(const std::string& path) override {
        const int error = asked("rmdir " + path);
        return error != 0 ? error : exclusive_system::remove_directory(path);
    }
    int remove_file(const std::string& path) override {
        const int error = asked("unlink " + path);
        return error != 0 ? error : exclusive_system::remove_file(path);
    }
    int rename_file(const std::string& from, const std::string& to) override {
        const int error = asked("rename " + from + " " + to);
        return error != 0 ? error : exclusive_system::rename_file(from, to);
    }
    int set_affinity(int thread, const regatta::cpu_set& cpus) override {
        const int error = asked("pin " + std::to_string(thread) + " " + cpus.to_string());
        return error != 0 ? error : exclusive_system::set_affinity(thread, cpus);
    }

    /// Kills this process with SIGKILL before the act of this number, from 1.
    void die_before(int act) {
        before_act = [this, act](const std::string&) {
            if (acts == act) {
                ::kill(::getpid(), SIGKILL);
            }
            return 0;
        };
    }

private:
    int asked(const std::string& act) {
        ++acts;
        return before_act(act);
    }
};

} // namespace exclusive_test
