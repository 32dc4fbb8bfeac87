// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/python.hpp"

#include "machine/memory_file.hpp"
#include "schemes/temporary_folder.hpp"

#include <regatta/base/detail/unique_descriptor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace regatta::race;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

/// A program that answers as its text says.
struct pretended {
    explicit pretended(const std::string& text) : path(folder.path() + "/python") {
        std::ofstream(path) << "#!/bin/sh\n" << text;
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    temporary_folder folder;
    std::string path;
};

} // namespace

TEST(python, tells_version_numpy_and_the_library_behind_it) {
    const pretended program("echo path=/opt/python; echo version=3.12.1\n"
                            "echo implementation=CPython; echo numpy_version=2.0.0\n"
                            "echo blas=OpenBLAS 0.3.27; echo core=Zen\n");
    const python_interpreter found = ask_python(program.path);
    EXPECT_EQ(found.path, "/opt/python");
    EXPECT_EQ(found.version, "3.12.1");
    EXPECT_EQ(found.implementation, "CPython");
    EXPECT_EQ(found.numpy_version, "2.0.0");
    EXPECT_EQ(found.numpy_blas, "OpenBLAS 0.3.27");
    EXPECT_EQ(found.numpy_blas_core, "Zen");
    EXPECT_EQ(found.missing, "");
}

TEST(python, without_numpy_says_how_to_get_it) {
    const pretended program("echo path=/opt/python; echo version=3.12.1\n"
                            "echo \"numpy_error=No module named 'numpy'\"\n");
    const python_interpreter found = ask_python(program.path);
    EXPECT_EQ(found.numpy_version, "");
    EXPECT_THAT(found.missing, AllOf(HasSubstr("3.12.1 (/opt/python) has no numpy"),
                                     HasSubstr("No module named 'numpy'"),
                                     HasSubstr("script/bootstrap"), HasSubstr("$REGATTA_PYTHON")));
}

TEST(python, that_is_not_there_is_missing) {
    EXPECT_THAT(ask_python("/does/not/exist").missing,
                AllOf(HasSubstr("/does/not/exist"), HasSubstr("No such file"),
                      HasSubstr("script/bootstrap")));
}

TEST(python, that_cannot_be_run_is_said_in_a_sentence) {
    EXPECT_THAT(ask_python("/does/not/exist").missing,
                testing::StartsWith("no Python: cannot run /does/not/exist: No such file or "
                                    "directory; script/bootstrap"));
    EXPECT_THAT(ask_python("no-such-python").missing,
                testing::StartsWith("no Python: cannot run no-such-python: No such file"));
}

TEST(python, that_hangs_is_ended_with_its_children) {
    // Both have the pipe open for writing as long as they live, and end of themselves one day.
    const pretended program("trap '' TERM\nexec >\"${0%/*}/alive\"\necho began\nsleep 300\n");
    const std::string pipe = program.folder.path() + "/alive";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const regatta::detail::unique_descriptor alive(
        ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    ASSERT_TRUE(alive);
    // On a busy machine it may not even have begun when a short time is over.
    ssize_t said = 0;
    for (std::chrono::seconds patience{1}; said <= 0; patience *= 2) {
        EXPECT_EQ(ask_python(program.path, patience).missing,
                  program.path + " did not answer within " + std::to_string(patience.count()) +
                      " s and was ended; $REGATTA_PYTHON names another");
        char words[16] = {};
        said = ::read(alive.get(), words, sizeof words);
    }
    EXPECT_EQ(said, 6);
    pollfd watched{alive.get(), 0, 0};
    EXPECT_EQ(::poll(&watched, 1, 60'000), 1) << "its child lives on";
    EXPECT_NE(watched.revents & POLLHUP, 0);
}

TEST(python, that_fails_is_quoted) {
    const pretended program("echo first >&2; echo 'it is broken' >&2; exit 3\n");
    EXPECT_THAT(ask_python(program.path).missing,
                HasSubstr(program.path + " exited with status 3: it is broken"));
}

TEST(python, that_a_signal_ends_is_missing) {
    const pretended program("kill -9 $$\n");
    EXPECT_THAT(ask_python(program.path).missing, HasSubstr("was killed by signal 9 (SIGKILL)"));
}

TEST(python, that_is_another_program_is_missing) {
    EXPECT_THAT(ask_python("true").missing, HasSubstr("true is no Python"));
}

TEST(python, is_looked_for_in_the_build_folder_that_this_program_lies_in) {
    const std::string folder = made_by_bootstrap("");
    EXPECT_THAT(folder, testing::EndsWith("/build/"));
    EXPECT_THAT(std::filesystem::read_symlink("/proc/self/exe").string(),
                testing::StartsWith(folder));
}

TEST(python, of_this_machine_is_complete_or_says_what_is_missing) {
    const python_interpreter& found = find_python();
    if (found.missing.empty()) {
        EXPECT_EQ(::access(found.path.c_str(), X_OK), 0) << found.path;
        EXPECT_THAT(found.version, testing::StartsWith("3."));
        EXPECT_THAT(found.numpy_version, Not(IsEmpty()));
    } else {
        EXPECT_EQ(found.numpy_version, "");
    }
    EXPECT_EQ(&find_python(), &found);
}

TEST(memory_file, keeps_what_is_written) {
    const memory_file file;
    EXPECT_EQ(file.text(), "");
    EXPECT_EQ(file.last_line(), "");
    const std::string text = std::string(10'000, 'x') + "\nthe last\n \n";
    ASSERT_EQ(::write(file.descriptor(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
    EXPECT_EQ(file.text(), text);
    EXPECT_EQ(file.last_line(), "the last");
}
