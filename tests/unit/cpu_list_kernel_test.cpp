// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// The notation of lists with this machine's kernel as the judge: every short text, written to a
/// cpuset of our own that has no tasks.

#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace {

using regatta::cpu_list_error;
using regatta::cpu_set;

/// A group without tasks below the top of a hierarchy that has cpusets.
class own_group {
public:
    own_group() {
        namespace detail = regatta::detail;
        const auto mounts = detail::read_small_file("/proc/self/mountinfo");
        for (const bool v2 : {false, true}) {
            const auto mount = detail::find_cgroup_mount(mounts.value_or(""), v2, "cpuset");
            if (!mount || !path_.empty()) {
                continue;
            }
            const std::string path =
                mount->point + "/regatta_grammar_" + std::to_string(::getpid());
            std::error_code error;
            if (std::filesystem::create_directory(path, error)) {
                path_ = path;
                above_ = detail::read_small_file(mount->point +
                                                 (v2 ? "/cpuset.cpus.effective" : "/cpuset.cpus"))
                             .value_or("");
            }
        }
        file_ = path_.empty() ? -1 : ::open((path_ + "/cpuset.cpus").c_str(), O_RDWR | O_CLOEXEC);
    }
    own_group(const own_group&) = delete;
    own_group& operator=(const own_group&) = delete;
    ~own_group() {
        if (file_ >= 0) {
            ::close(file_);
        }
        if (!path_.empty()) {
            ::rmdir(path_.c_str());
        }
    }

    bool usable() const { return file_ >= 0; }
    /// What every group may have at most.
    cpu_set above() const { return cpu_set::parse(above_); }

    /// What the kernel makes of the text; nothing where it refuses it.
    std::optional<std::string> read_as(std::string_view text) const {
        if (::pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
            return std::nullopt;
        }
        char answer[256] = {};
        const auto length = ::pread(file_, answer, sizeof answer - 1, 0);
        EXPECT_GE(length, 0);
        return std::string(regatta::detail::trimmed(answer));
    }

private:
    std::string path_;
    std::string above_;
    int file_ = -1;
};

} // namespace

TEST(cpu_list_and_kernel, agree_on_every_text_of_five_characters) {
    const own_group group;
    if (!group.usable()) {
        GTEST_SKIP() << "this system lets us have no cpuset of our own";
    }
    const cpu_set above = group.above();
    const unsigned width = regatta::detail::configured_cpus();
    constexpr std::string_view alphabet = "012N-:/, ";
    constexpr std::size_t length = 5;
    std::size_t compared = 0;
    for (std::size_t number = 0; number < 9 * 9 * 9 * 9 * 9; ++number) {
        std::string text;
        for (std::size_t i = 0, rest = number; i < length; ++i, rest /= alphabet.size()) {
            text += alphabet[rest % alphabet.size()];
        }
        cpu_list_error error;
        const auto ours = cpu_set::try_parse(text, width, error);
        if (ours && !above.contains(*ours)) {
            continue; // The kernel may refuse these CPUs, whatever it thinks of the text.
        }
        const auto theirs = group.read_as(text);
        if (ours && !theirs && !group.read_as(ours->to_string() + "\n")) {
            continue; // It refuses the CPUs: another group has them to itself just now.
        }
        ++compared;
        if (!theirs || !ours) {
            ASSERT_EQ(theirs.has_value(), ours.has_value())
                << "'" << text << "': " << (ours ? ours->to_string() : error.reason);
        } else {
            ASSERT_EQ(*theirs, ours->to_string()) << "'" << text << "'";
        }
    }
    EXPECT_GT(compared, 10000u);
}

TEST(cpu_list_and_kernel, agree_on_longer_texts) {
    const own_group group;
    if (!group.usable()) {
        GTEST_SKIP() << "this system lets us have no cpuset of our own";
    }
    const unsigned width = regatta::detail::configured_cpus();
    for (const std::string_view text :
         {"all",    "ALL",     "aLl",     "all:1/2", "all:0/2",    "0-0:1/4294967295",
          ",0,,0,", " 0 , 0 ", "00",      "0-N:1/1", "0-N:N/N",    "N-N",
          "none",   "n",       "al",      "all1",    "0x0",        "+0",
          "0;0",    "0.0",     "0-N:5/2", "0-N:2/1", "0-N:2/0",    "0-N:2",
          "0-N/5",  "0- 0",    "0 -0",    "0--0",    "4294967296", "12345678901234567890",
          "0-N:/2", "0-N:1/"}) {
        cpu_list_error error;
        const auto ours = cpu_set::try_parse(text, width, error);
        const auto theirs = group.read_as(text);
        if (ours && !theirs && !group.read_as(ours->to_string() + "\n")) {
            continue;
        }
        EXPECT_EQ(theirs, ours ? std::optional(ours->to_string()) : std::nullopt)
            << "'" << text << "' " << error.reason;
    }
}
