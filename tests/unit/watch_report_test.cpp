// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/screen_line.hpp"
#include "report/watch/watch_cpus.hpp"
#include "report/watch/watch_json.hpp"
#include "report/watch/watch_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace race = regatta::race;
using regatta::cpu_set;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr race::text_style unicode{.width = 80, .colour = false, .unicode = true};
constexpr race::text_style ascii{.width = 80, .colour = false, .unicode = false};

race::pressure_stall stall(double avg60) {
    race::pressure_stall made;
    made.some.avg60 = avg60;
    return made;
}

/// A machine of so many CPUs. The first is busy, the second loses time to the hypervisor, the third
/// waits for devices, and the others are idle.
race::observation machine(unsigned cpus) {
    race::observation seen;
    seen.elapsed_ns = 2'000'000'000;
    seen.all = race::cpu_shares{0.3, 0.05, 0.02, 0.05, 0.08, 0.5};
    for (unsigned cpu = 0; cpu < cpus; ++cpu) {
        seen.cpus.push_back({cpu, race::cpu_shares{0, 0, 0, 0, 0, 1}, 800});
    }
    seen.cpus.at(0) = {0, race::cpu_shares{0.75, 0.25, 0, 0, 0, 0}, 3400};
    if (cpus > 2) {
        seen.cpus[1] = {1, race::cpu_shares{0.25, 0, 0.125, 0.5, 0, 0.125}, {}};
        seen.cpus[2] = {2, race::cpu_shares{0, 0, 0, 0, 0.5, 0.5}, 1200};
    }
    race::run_queue queue;
    queue.runnable = 3;
    queue.blocked = 1;
    queue.tasks = 456;
    queue.load = {0.75, 1.5, 12.25};
    seen.queue = queue;
    seen.switches_a_second = 12'345;
    seen.stalls = {stall(12.4), stall(0), std::nullopt};
    seen.stalled = {0.25, 0.0, std::nullopt};
    return seen;
}

race::thread_use thread(int tid, const std::string& name, unsigned cpu, double use) {
    race::thread_use one;
    one.now.task.pid = 1234;
    one.now.task.tid = tid;
    one.now.task.name = name;
    one.now.task.state = use > 0 ? 'R' : 'S';
    one.now.task.cpu = cpu;
    one.now.allowed = cpu_set::first(256);
    one.now.migrations = 12;
    one.use = use;
    one.wait = 0.0;
    one.voluntary = 0;
    one.involuntary = 0;
    one.migrations = 0;
    return one;
}

/// A process with one thread that rests and two that work, one of them without a CPU for half of
/// the time.
race::observation with_process(unsigned cpus) {
    race::observation seen = machine(cpus);
    race::process_observation process;
    process.pid = 1234;
    process.title = "./server --port 80";
    process.cpus_used = 0.875;
    process.threads = {thread(1234, "server", 0, 0), thread(1235, "worker/0", 0, 0.5),
                       thread(1236, "a name of some length", 1, 0.375)};
    process.threads[1].wait = 0.5;
    process.threads[1].involuntary = 200;
    process.threads[1].now.allowed = cpu_set{0, 2};
    process.threads[2].voluntary = 40'000;
    process.threads[2].migrations = 3;
    seen.process = process;
    return seen;
}

race::watch_frame frame() {
    race::watch_frame frame;
    frame.clock = "12:04:05";
    frame.pace = "every 2s";
    return frame;
}

/// The screen as one sees it: its lines, one below the other.
std::string screen(const race::observation& seen, std::size_t rows, const race::text_style& style,
                   const race::watch_frame& with = frame()) {
    std::string text;
    for (const race::screen_line& line : race::watch_screen(seen, with, rows, style)) {
        EXPECT_LE(race::columns_of(line), style.width);
        text += race::text_of(line, style);
    }
    return text;
}

} // namespace

TEST(watch_screen, shows_the_machine_and_a_process) {
    EXPECT_EQ(screen(with_process(4), 16, unicode),
              R"(regatta watch  12:04:05  4 CPUs  every 2s                                q quits
load 0.75 1.50 12.25   runnable 3 of 456   blocked 1   switches 12k/s
pressure   CPU 25 %   memory 0 %   devices - %     last minute 12 / 0 / - %
  CPU  user   sys   irq steal iowait  idle    MHz here
  all    30     5     2     5      8    50             ████████▓××░░············
    0    75    25     0     0      0     0   3400    1 ███████████████████▓▓▓▓▓▓
    1    25     0    12    50      0    12           1 ██████▒▒▒×××××××××××××···
    2     0     0     0     0     50    50   1200      ░░░░░░░░░░░░░············
    3     0     0     0     0      0   100    800      ·························
1234 ./server --port 80                                     0.88 CPUs, 3 threads
 thread name             S CPU  use wait  vol/s  inv/s      moves allowed
   1235 worker/0         R   0   50   50      0    100         12 0,2
   1236 a name of some…  R   1   38    0    20k      0    12 (+3) all
   1234 server           S   0    0    0      0      0         12 all

█ user  ▓ system  ▒ interrupts  × steal  ░ waiting for a device  · idle
)");
}

TEST(watch_screen, shows_the_machine_alone_in_ascii) {
    EXPECT_EQ(screen(machine(3), 10, ascii),
              R"(regatta watch  12:04:05  3 CPUs  every 2s                                q quits
load 0.75 1.50 12.25   runnable 3 of 456   blocked 1   switches 12k/s
pressure   CPU 25 %   memory 0 %   devices - %     last minute 12 / 0 / - %
  CPU  user   sys   irq steal iowait  idle    MHz
  all    30     5     2     5      8    50        #########==xx--...............
    0    75    25     0     0      0     0   3400 #######################=======
    1    25     0    12    50      0    12        ########!!!xxxxxxxxxxxxxxx....
    2     0     0     0     0     50    50   1200 ---------------...............

# user  = system  ! interrupts  x steal  - waiting for a device  . idle
)");
}

TEST(watch_screen, many_cpus_share_lines) {
    EXPECT_EQ(screen(machine(24), 16, unicode),
              R"(regatta watch  12:04:05  24 CPUs  every 2s                               q quits
load 0.75 1.50 12.25   runnable 3 of 456   blocked 1   switches 12k/s
pressure   CPU 25 %   memory 0 %   devices - %     last minute 12 / 0 / - %
  CPU  user   sys   irq steal iowait  idle    MHz
  all    30     5     2     5      8    50        █████████▓▓××░░···············
 0 ████████▓▓ 100%   6 ··········   0%  12 ··········   0%  18 ··········   0%
 1 ███▒×××××·  38%   7 ··········   0%  13 ··········   0%  19 ··········   0%
 2 ░░░░░·····   0%   8 ··········   0%  14 ··········   0%  20 ··········   0%
 3 ··········   0%   9 ··········   0%  15 ··········   0%  21 ··········   0%
 4 ··········   0%  10 ··········   0%  16 ··········   0%  22 ··········   0%
 5 ··········   0%  11 ··········   0%  17 ··········   0%  23 ··········   0%




█ user  ▓ system  ▒ interrupts  × steal  ░ waiting for a device  · idle
)");
}

TEST(watch_screen, very_many_cpus_are_a_character_each) {
    EXPECT_EQ(screen(machine(256), 16, unicode),
              R"(regatta watch  12:04:05  256 CPUs  every 2s                              q quits
load 0.75 1.50 12.25   runnable 3 of 456   blocked 1   switches 12k/s
pressure   CPU 25 %   memory 0 %   devices - %     last minute 12 / 0 / - %
  CPU  user   sys   irq steal iowait  idle    MHz
  all    30     5     2     5      8    50        █████████▓▓××░░···············
  0 |█×                                                              |
 64 |                                                                |
128 |                                                                |
192 |                                                                |






blank idle  ▁▂▃▄▅▆▇█ busy  × steal
)");
    EXPECT_THAT(screen(machine(256), 16, ascii),
                HasSubstr("\nblank idle  .:-=+*#@ busy  x steal\n"));
}

TEST(watch_screen, says_how_many_cpus_have_no_room) {
    const std::string text = screen(machine(1286), 24, unicode);
    EXPECT_THAT(text, HasSubstr("\n1024 |"));
    EXPECT_THAT(text, Not(HasSubstr("\n1088 |")));
    EXPECT_THAT(text, HasSubstr("\n198 more CPUs\n"));
    EXPECT_THAT(screen(machine(256), 7, unicode), HasSubstr("\n256 more CPUs\n"));
}

TEST(watch_screen, a_narrow_one_has_no_bars) {
    race::text_style narrow = unicode;
    narrow.width = 40;
    EXPECT_EQ(screen(with_process(2), 16, narrow), R"(regatta watch  12:04:05  2 CPUs  every …
load 0.75 1.50 12.25   runnable 3 of 45…
pressure   CPU 25 %   memory 0 %   devi…
  CPU  user   sys   irq steal iowait
  all    30     5     2     5      8
    0    75    25     0     0      0
    1     0     0     0     0      0
1234 ./server --p…  0.88 CPUs, 3 threads
 thread name             S CPU  use wait
   1235 worker/0         R   0   50   50
   1236 a name of some…  R   1   38    0
   1234 server           S   0    0    0



█ user  ▓ system  ▒ interrupts  × steal…
)");
}

TEST(watch_screen, no_figure_is_cut) {
    race::observation seen = with_process(16);
    seen.process->threads[1].now.allowed = cpu_set{0, 2, 4, 6, 8, 10, 12};
    EXPECT_THAT(screen(seen, 40, unicode), HasSubstr(" 12 0,2,4,6,8,10,…\n"));
    EXPECT_THAT(screen(seen, 40, ascii), HasSubstr(" 12 0,2,4,6,8,10,~\n"));
    race::text_style narrow = unicode;
    for (const unsigned width : {72U, 66U}) { // neither has room for the list, nor for its title
        narrow.width = width;
        EXPECT_THAT(screen(seen, 40, narrow), HasSubstr("  inv/s      moves\n"));
        EXPECT_THAT(screen(seen, 40, narrow), HasSubstr("    12 (+3)\n"));
    }
    narrow.width = 20;
    EXPECT_THAT(screen(seen, 40, narrow), HasSubstr("\n   1235 worker/0   …\n"));
    narrow.width = 64;
    EXPECT_THAT(screen(seen, 40, narrow), HasSubstr(" wait  vol/s  inv/s\n"));
    EXPECT_THAT(screen(seen, 40, narrow), HasSubstr("   38    0    20k      0\n"));
}

TEST(watch_screen, there_is_no_size_that_it_does_not_fit) {
    race::watch_frame full = frame();
    full.has_output = true;
    full.last_output = "some words";
    full.first_thread = 2;
    for (const unsigned cpus : {1u, 4u, 24u, 256u}) {
        for (const unsigned width : {1u, 5u, 20u, 40u, 79u, 200u}) {
            for (std::size_t rows = 1; rows < 40; ++rows) {
                race::text_style style = unicode;
                style.width = width;
                const auto lines = race::watch_screen(with_process(cpus), full, rows, style);
                EXPECT_LE(lines.size(), rows);
                for (const race::screen_line& line : lines) {
                    EXPECT_LE(race::columns_of(line), width);
                }
            }
        }
    }
}

TEST(watch_screen, threads_are_scrolled) {
    race::observation seen = with_process(2);
    for (int i = 0; i < 30; ++i) {
        seen.process->threads.push_back(thread(2000 + i, "more", 0, 0));
    }
    race::watch_frame with = frame();
    const std::size_t end = race::last_first_thread(seen, with, 20, unicode);
    std::string text = screen(seen, 20, unicode, with);
    EXPECT_THAT(text, HasSubstr(" 1235 worker/0")); // those that ran come first
    EXPECT_THAT(text, HasSubstr(" more: arrow keys"));
    with.first_thread = end;
    text = screen(seen, 20, unicode, with);
    EXPECT_THAT(text, Not(HasSubstr("worker/0")));
    EXPECT_THAT(text, HasSubstr(" 2029 more"));
    EXPECT_THAT(text, Not(HasSubstr("arrow keys")));
    with.first_thread = 1000; // the window was smaller then
    EXPECT_EQ(screen(seen, 20, unicode, with), text);
}

TEST(watch_screen, says_that_a_process_has_ended) {
    race::observation seen = with_process(2);
    seen.process->alive = false;
    seen.process->threads.clear();
    EXPECT_THAT(screen(seen, 20, unicode), HasSubstr("1234 ./server --port 80 "));
    EXPECT_THAT(screen(seen, 20, unicode), HasSubstr("  has ended\n"));
}

TEST(watch_screen, what_is_not_known_is_a_dash) {
    race::observation seen = machine(2);
    seen.all.reset();
    seen.cpus[1].shares.reset();
    seen.queue.reset();
    seen.stalls = {};
    seen.stalled = {};
    const std::string text = screen(seen, 20, ascii);
    EXPECT_THAT(text, HasSubstr("  all     -     -     -     -      -     -"));
    EXPECT_THAT(text, HasSubstr("run queue: not told"));
    EXPECT_THAT(text, HasSubstr("pressure: not told by this kernel"));
}

TEST(watch_screen, names_of_others_cannot_move_the_cursor) {
    race::observation seen = with_process(2);
    seen.process->title = "./x\x1b[2J\n\xc3\xa4\xff";
    seen.process->threads[0].now.task.name = "\x9b"
                                             "2J\x7f";
    race::watch_frame with = frame();
    with.has_output = true;
    with.last_output = "50 %\t\x1b]0;x\x07";
    const std::string text = screen(seen, 24, unicode, with);
    EXPECT_THAT(text, HasSubstr("1234 ./x?[2J??? "));
    EXPECT_THAT(text, HasSubstr("1234 2J? "));
    EXPECT_THAT(text, HasSubstr("output  50 %??]0;x?\n"));
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(watch_text, has_every_cpu_and_every_thread) {
    const std::string text = race::watch_text(with_process(24), frame(), unicode);
    EXPECT_THAT(text, HasSubstr("\n   23 "));
    EXPECT_THAT(text, HasSubstr(" 1236 a name of some"));
    EXPECT_THAT(text, Not(HasSubstr("q quits")));
}

TEST(watch_text, colours_are_an_addition) {
    race::text_style colours = unicode;
    colours.colour = true;
    const std::string text = race::watch_text(with_process(4), frame(), colours);
    EXPECT_THAT(text, HasSubstr("\x1b[32m█"));
    EXPECT_THAT(race::watch_text(with_process(4), frame(), unicode), Not(HasSubstr("\x1b")));
}

TEST(watch_json, is_one_line_whatever_the_names) {
    race::observation seen = with_process(4);
    seen.process->title = "a\nb\xff";
    const std::string text = race::to_json_line(seen);
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    const auto document = nlohmann::json::parse(text);
    EXPECT_EQ(document["schema"], "regatta-watch/1");
    EXPECT_EQ(document["cpus"][1]["shares"]["steal"], 0.5);
    EXPECT_TRUE(document["cpus"][1]["clock_mhz"].is_null());
    EXPECT_TRUE(document["pressure"]["io"].is_null());
    EXPECT_EQ(document["pressure"]["cpu"]["stalled"], 0.25);
    EXPECT_EQ(document["process"]["cpus_used"], 0.875);
    EXPECT_EQ(document["process"]["threads"][1]["allowed"], "0,2");
    EXPECT_EQ(document["process"]["threads"][2]["migrations"], 3);
    EXPECT_EQ(document["process"]["threads"][2]["migrations_ever"], 12);
    EXPECT_TRUE(nlohmann::json::parse(race::to_json_line(machine(1)))["process"].is_null());
}
