// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "programs/program.hpp"
#include "race_fakes.hpp"
#include "sampling/race.hpp"
#include "schemes/temporary_folder.hpp"
#include "support/eventually.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

namespace {

/// A race of programs, and of the schemes that a test adds.
class race_of_programs : public testing::Test {
protected:
    race_of_programs() {
        options.scheme.workers = 3;
        options.rounds = 1;
    }

    void enter(const std::string& text) {
        const race::program_command program = race::parse_program(text);
        infos.push_back(race::program_scheme(program, options.scheme.workers));
        entrants.push_back({program.name, &infos.back(), true});
    }
    race::race_result run() {
        return race::run_race(race::no_workload(), entrants, options, control);
    }
    /// The process whose number a program wrote into that file.
    pid_t process_in(const std::string& name) const {
        pid_t pid = 0;
        library_test::await([&] {
            std::ifstream file(folder.path() + "/" + name);
            std::string line;
            if (std::getline(file, line) && !file.eof()) { // whole, with its line end
                pid = std::stoi(line);
            }
            return pid != 0;
        });
        return pid;
    }
    /// Whoever adopts an orphan need not wait for it, so a zombie is gone, too.
    static void wait_until_gone(pid_t pid) {
        library_test::await([&] {
            std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
            std::string line;
            return !std::getline(file, line) || line[line.rfind(')') + 2] == 'Z';
        });
    }

    race::temporary_folder folder;
    std::deque<race::scheme_info> infos;
    std::vector<race::entrant> entrants;
    race::race_options options;
    race::race_control control;
};

} // namespace

TEST_F(race_of_programs, times_them_as_a_whole) {
    enter("busy=sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done'");
    enter("asleep=sleep 0.05");
    options.rounds = 3;
    const auto result = run();
    EXPECT_EQ(result.workload, "");
    EXPECT_EQ(result.items, 0u);
    EXPECT_EQ(result.baseline, "busy");
    EXPECT_EQ(result.control.samples.size(), 3u);
    const auto& busy = *result.find("busy");
    const auto& asleep = *result.find("asleep");
    for (const auto* one : {&busy, &asleep}) {
        ASSERT_TRUE(one->ok()) << one->reason;
        EXPECT_FALSE(one->verified);
        EXPECT_EQ(one->scheme, "program");
        EXPECT_EQ(one->measured.samples.size(), 3u);
        ASSERT_TRUE(one->program && one->program->cpu_ns && one->program->peak_bytes);
        EXPECT_GT(*one->program->peak_bytes, 100'000);
        EXPECT_FALSE(one->runs_items());
    }
    EXPECT_GE(asleep.time.median, 50e6);
    EXPECT_LT(*asleep.program->cpu_ns, asleep.time.median);
    EXPECT_GT(*busy.program->cpu_ns, *asleep.program->cpu_ns);
    EXPECT_EQ(asleep.program->command, "sleep 0.05");
    EXPECT_THAT(result.notes, Contains(HasSubstr("not checked")));
}

TEST_F(race_of_programs, counts_the_cpu_time_and_the_memory_of_children_too) {
    // 64 MB that dd reads and writes at once, in a child of the shell.
    enter("large=sh -c 'dd if=/dev/zero of=/dev/null bs=64M count=1; true'");
    enter("small=true");
    const auto result = run();
    ASSERT_TRUE(result.find("large")->ok()) << result.find("large")->reason;
    EXPECT_GE(*result.find("large")->program->peak_bytes, 64 << 20);
    EXPECT_GT(*result.find("large")->program->cpu_ns, *result.find("small")->program->cpu_ns);
}

// docs/reference/race.md: "its descendants, also those that it leaves behind"
TEST_F(race_of_programs, counts_the_cpu_time_of_what_they_leave_behind) {
    const std::string pipe = folder.path() + "/done";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const std::string loop = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; ";
    enter("waits=sh -c '(" + loop + ") & wait'");
    enter("leaves=sh -c '(" + loop + "echo > " + pipe + "; exec sleep 1000) & read line < " + pipe +
          "'");
    const auto result = run();
    for (const char* name : {"waits", "leaves"}) {
        ASSERT_TRUE(result.find(name)->ok()) << result.find(name)->reason;
    }
    EXPECT_GT(*result.find("leaves")->program->cpu_ns, *result.find("waits")->program->cpu_ns / 2);
}

// docs/reference/race.md: "below 1 to 2 MB it is the memory of the launcher that is seen".
TEST_F(race_of_programs, the_memory_of_the_race_is_not_theirs) {
    constexpr std::size_t much = 256 << 20;
    const auto memory = std::make_unique<char[]>(much);
    std::memset(memory.get(), 1, much);
    enter("small=true");
    const auto result = run();
    ASSERT_TRUE(result.find("small")->ok());
    EXPECT_LT(*result.find("small")->program->peak_bytes, 128 << 20);
    EXPECT_EQ(memory[much / 2], 1);
}

TEST_F(race_of_programs, get_the_number_of_workers) {
    enter("counter=sh -c 'test $1 = 3 && test $2 = x3y' sh {workers} x{workers}y");
    const auto result = run();
    EXPECT_TRUE(result.find("counter")->ok()) << result.find("counter")->reason;
    EXPECT_THAT(result.find("counter")->program->command, HasSubstr("sh 3 x3y"));
}

TEST_F(race_of_programs, read_nothing_and_are_not_heard) {
    enter("reader=sh -c 'test -z \"$(cat)\"; echo noise'");
    testing::internal::CaptureStdout();
    const auto result = run();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_TRUE(result.find("reader")->ok()) << result.find("reader")->reason;
}

TEST_F(race_of_programs, fail_with_the_last_thing_that_they_said) {
    enter("good=true");
    enter("bad=sh -c 'echo first >&2; echo \"no such figure\" >&2; echo; exit 3'");
    enter("mute=false");
    enter("dying=sh -c 'echo last words >&2; kill -9 $$'");
    enter("absent=/no/such/program");
    const auto result = run();
    EXPECT_TRUE(result.find("good")->ok());
    EXPECT_EQ(result.find("bad")->reason, "exited with status 3: no such figure");
    EXPECT_EQ(result.find("mute")->reason, "exited with status 1");
    EXPECT_EQ(result.find("dying")->reason, "was killed by signal 9 (SIGKILL): last words");
    EXPECT_THAT(result.find("absent")->reason,
                AllOf(HasSubstr("/no/such/program"), HasSubstr("No such file")));
    for (const char* name : {"bad", "mute", "dying", "absent"}) {
        EXPECT_EQ(result.find(name)->status, race::scheme_status::failed);
        EXPECT_FALSE(result.find(name)->wrong_result);
        EXPECT_FALSE(result.find(name)->program->cpu_ns);
    }
}

TEST_F(race_of_programs, more_errors_than_a_pipe_holds_stop_nobody) {
    enter("loud=sh -c 'dd if=/dev/zero bs=1M count=4 status=none >&2 || exit 2; echo >&2; "
          "echo end >&2; exit 1'");
    EXPECT_EQ(run().find("loud")->reason, "exited with status 1: end");
}

// Else the launcher would take a CPU from them.
TEST_F(race_of_programs, one_that_closes_its_standard_error_has_its_launcher_asleep) {
    enter("mute=sh -c 'exec 2>&-; echo $PPID > " + folder.path() + "/launcher; sleep 1000'");
    std::thread watcher([&] {
        const std::string stat = "/proc/" + std::to_string(process_in("launcher")) + "/stat";
        int times = 0; // in a row: it may sleep before it sees the end
        library_test::await([&] {
            std::ifstream file(stat);
            std::string line;
            std::getline(file, line);
            times = line.find(") S ") != line.npos ? times + 1 : 0;
            return times == 20;
        });
        control.request_stop();
    });
    EXPECT_TRUE(run().stopped);
    watcher.join();
}

TEST_F(race_of_programs, errors_without_an_end_do_not_hide_that_of_the_program) {
    enter("loud=sh -c 'yes >&2 & yes >&2 & dd if=/dev/zero bs=1M count=1 status=none >&2; exit 3'");
    EXPECT_EQ(run().find("loud")->reason.substr(0, 20), "exited with status 3");
}

TEST_F(race_of_programs, errors_without_an_end_do_not_hide_that_of_the_race) {
    enter("loud=sh -c 'yes >&2 & yes >&2 & echo $! > " + folder.path() + "/child; wait'");
    pid_t child = 0;
    std::thread stopper([&] {
        child = process_in("child");
        control.request_stop();
    });
    EXPECT_TRUE(run().stopped);
    stopper.join();
    wait_until_gone(child);
}

TEST_F(race_of_programs, one_that_ends_its_launcher_is_perhaps_to_blame) {
    enter("suicide=sh -c 'kill 0; sleep 1000'");
    EXPECT_THAT(run().find("suicide")->reason,
                AllOf(HasSubstr("SIGTERM"), HasSubstr("perhaps by the program")));
}

TEST_F(race_of_programs, what_they_leave_behind_is_ended) {
    enter("parent=sh -c 'sleep 1000 & echo $! > " + folder.path() + "/child'");
    const auto result = run();
    EXPECT_TRUE(result.find("parent")->ok()) << result.find("parent")->reason;
    wait_until_gone(process_in("child"));
}

TEST_F(race_of_programs, what_left_their_process_group_is_ended_also_if_it_ignores_signals) {
    const library_test::time_limit limit("the end of a race");
    const std::string child = folder.path() + "/child";
    // Of the run before it is there already.
    enter("parent=sh -c 'rm -f " + child +
          "; setsid sh -c \"trap \\\"\\\" HUP INT TERM; sleep 1000 & echo \\$! > " + child +
          "; wait\" & until test -s " + child + "; do sleep 0.01; done'");
    const auto result = run();
    EXPECT_TRUE(result.find("parent")->ok()) << result.find("parent")->reason;
    wait_until_gone(process_in("child"));
}

TEST_F(race_of_programs, a_stop_ends_them_with_their_children) {
    enter("parent=sh -c 'sleep 1000 & echo $! > " + folder.path() + "/child; wait'");
    pid_t child = 0;
    std::thread stopper([&] {
        child = process_in("child");
        control.request_stop();
    });
    const auto result = run();
    stopper.join();
    EXPECT_TRUE(result.stopped);
    EXPECT_TRUE(result.find("parent")->ok());
    wait_until_gone(child);
}

// "The kernel stops a process group that reads or sets up the terminal": as such a stop does.
TEST_F(race_of_programs, that_are_stopped_for_the_terminal_have_failed) {
    const library_test::time_limit limit("the end of a race");
    for (const char* const signal : {"TTIN", "TTOU"}) {
        enter(std::string(signal) + "=sh -c 'kill -" + signal + " 0; sleep 1000'");
    }
    const auto result = run();
    for (const auto& one : result.schemes) {
        EXPECT_THAT(one.reason, HasSubstr("was stopped, as it reads or sets up the terminal"));
    }
    EXPECT_EQ(result.schemes.size(), 2u);
}

TEST_F(race_of_programs, the_death_of_their_launcher_ends_them) {
    enter("orphan=sh -c 'sleep 1000 & echo $! > " + folder.path() + "/child; echo $PPID > " +
          folder.path() + "/launcher; wait'");
    std::thread killer([&] { ::kill(process_in("launcher"), SIGKILL); });
    const auto result = run();
    killer.join();
    EXPECT_THAT(result.find("orphan")->reason, AllOf(HasSubstr("launcher"), HasSubstr("SIGKILL")));
    wait_until_gone(process_in("child"));
}

TEST_F(race_of_programs, race_beside_schemes) {
    infos.push_back(fakes::info("serial", fakes::run_serially));
    entrants.push_back({"serial", &infos.back(), true});
    enter("mine=true");
    options.work.size = 50;
    options.baseline = "mine";
    options.rounds = 2;
    const auto result = race::run_race(fakes::counting_info(), entrants, options, control);
    EXPECT_EQ(result.workload, "counting");
    EXPECT_EQ(result.baseline, "mine");
    EXPECT_TRUE(result.find("serial")->verified);
    EXPECT_FALSE(result.find("serial")->program);
    EXPECT_FALSE(result.find("mine")->verified);
    EXPECT_TRUE(result.find("mine")->ok()) << result.find("mine")->reason;
    EXPECT_TRUE(result.find("mine")->speedup);
}
