// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the results say about how to run a workload on this machine.

#include "advice/evidence.hpp"
#include "text/text.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// What a sentence is about, in the order of the report.
enum class topic {
    trust,     ///< What speaks against the results themselves.
    scheme,    ///< Which one.
    workers,   ///< How many.
    limit,     ///< Why it is not faster.
    processes, ///< Processes or threads.
    pinning,   ///< Pin, own, or leave it to the kernel.
};
inline constexpr std::array topics{topic::trust, topic::scheme,    topic::workers,
                                   topic::limit, topic::processes, topic::pinning};
/// "trust", "scheme", …
std::string_view to_string(topic about) noexcept;

/// What keeps a workload from being faster with more workers.
enum class limit_kind {
    unknown,
    none,        ///< Hardly anything is lost.
    serial_part, ///< A part of the run that one worker does alone.
    contention,  ///< The workers hold each other up, the more of them the worse.
    items,       ///< The items cost more in parallel; whether for memory or not is not known.
    memory,      ///< The items cost more, and memory bandwidth grows no faster than they do.
    core,        ///< The items cost more, but not for memory bandwidth: caches, shared cores.
    clock,       ///< The items cost more, because the processor's clock falls.
    waiting,     ///< The items cost more, because they wait for one another.
};
/// "unknown", "none", "serial_part", …
std::string_view to_string(limit_kind kind) noexcept;

/// A figure behind a sentence, under the name that it has there.
struct cited_figure {
    std::string name;
    figure from;
};

/// Something that the results say. Every one has a figure in its text, and where it comes from.
struct sentence {
    topic about{};
    std::string text;
    std::vector<cited_figure> figures;
};

/// Something that the results do not say, and what would.
struct open_question {
    topic about{};
    std::string text;
    std::string measure; ///< A command line.
};

/// What to do, and why. What cannot be said is absent.
struct advice {
    workload_evidence workload; ///< Without a name where no result has one.
    std::vector<std::string> files;
    machine_evidence machine;

    std::optional<std::string> scheme;
    std::optional<unsigned> workers;
    limit_kind limit = limit_kind::unknown;
    std::optional<std::string> kind;      ///< "threads", "processes", "either".
    std::optional<std::string> placement; ///< "free", "pinned", "exclusive".

    std::vector<sentence> sentences; ///< By topic.
    std::vector<open_question> open;
};

/// Advises. @param style of the sentences: UTF-8 or not.
advice advise(const evidence& all, const text_style& style);

} // namespace regatta::race
