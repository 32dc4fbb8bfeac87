// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the process tests share: pipes, the other process, and a look at the own descriptors.

#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>
#include <regatta/process/subprocess.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace process_test {

/// Both ends of a pipe, closed on exec.
struct pipe_ends {
    pipe_ends() {
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            regatta::fail_system(errno, "pipe2");
        }
        read.reset(ends[0]);
        write.reset(ends[1]);
    }
    /// All that is written until the last writer is gone.
    std::string read_all() {
        write.reset();
        return read_until('\0', true);
    }
    /// One line without its end; what there is if the last writer is gone.
    std::string read_line() { return read_until('\n', false); }

    regatta::detail::unique_descriptor read;
    regatta::detail::unique_descriptor write;

private:
    std::string read_until(char end, bool never) {
        std::string text;
        for (char c = 0;;) {
            const ssize_t count = ::read(read.get(), &c, 1);
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count <= 0 || (!never && c == end)) {
                return text;
            }
            text += c;
        }
    }
};

/// What starts `process_peer`, an emulator before it where one is needed.
inline regatta::spawn_options peer_options(const std::vector<std::string>& arguments) {
    std::vector<std::string> words;
    std::istringstream command(PROCESS_PEER);
    for (std::string word; std::getline(command, word, '|');) {
        words.push_back(word);
    }
    words.insert(words.end(), arguments.begin(), arguments.end());
    regatta::spawn_options options{.program = words.front()};
    options.arguments.assign(words.begin() + 1, words.end());
    return options;
}

/// The other process, with its answers; it ends when this object does.
class peer {
public:
    explicit peer(const std::vector<std::string>& arguments,
                  std::vector<regatta::inherited_descriptor> descriptors = {}) {
        auto options = peer_options(arguments);
        options.standard_input = input_.read.get();
        options.standard_output = output_.write.get();
        options.descriptors = std::move(descriptors);
        process = regatta::spawn(options);
        input_.read.reset();
        output_.write.reset();
    }
    /// The next line that it writes.
    std::string answer() { return output_.read_line(); }
    /// Lets it end by itself.
    regatta::exit_status finish() {
        input_.write.reset();
        return process.wait();
    }

private:
    pipe_ends input_;
    pipe_ends output_;

public:
    regatta::subprocess process;
};

/// The output of a program, and how it ended.
struct program_result {
    std::string output;
    regatta::exit_status status;
};
inline program_result run(regatta::spawn_options options) {
    pipe_ends output;
    options.standard_output = output.write.get();
    auto child = regatta::spawn(options);
    std::string text = output.read_all();
    return {std::move(text), child.wait()};
}

/// How many descriptors this process has open.
inline std::size_t open_descriptors() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        static_cast<void>(entry);
        ++count;
    }
    return count;
}

} // namespace process_test
