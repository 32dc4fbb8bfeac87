// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/blas_record.hpp"

#include "machine/memory_file.hpp"

#include <regatta/process/subprocess.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <span>
#include <utility>

namespace regatta::race {
namespace {

constexpr const char* library_file = "libopenblas.so.0";
constexpr const char* usual_file = "libblas.so.3";

/// The core that the user names. Read before `main`: `blas` names one for this process.
const std::string users_core = [] {
    const char* const named = std::getenv("OPENBLAS_CORETYPE");
    return std::string(named == nullptr ? "" : named);
}();

/// What a program that does nothing prints on both its streams, started with libraries before it.
std::string output_with(const std::string& libraries, process_environment environment) {
    const memory_file output;
    environment.set("LD_PRELOAD", libraries).set("OPENBLAS_NUM_THREADS", "1");
    if (users_core.empty()) {
        environment.unset("OPENBLAS_CORETYPE");
    }
    subprocess child = spawn({.program = "/bin/true",
                              .environment = std::move(environment),
                              .standard_output = output.descriptor(),
                              .standard_error = output.descriptor()});
    child.wait_for(std::chrono::seconds(5));
    return output.text();
}

/// What stands between the two texts; empty where one of them is missing.
std::string between(const std::string& text, std::string_view before, std::string_view after) {
    const auto begin = text.find(before);
    if (begin == text.npos) {
        return {};
    }
    const auto from = begin + before.size();
    const auto end = text.find(after, from);
    return end == text.npos ? "" : text.substr(from, end - from);
}

/// Of "libopenblasp-r0.3.21.so" 0.3.21.
std::string version_in(const std::string& path) {
    return between(path.substr(path.rfind('/') + 1), "-r", ".so");
}

bool equal_names(std::string_view a, std::string_view b) noexcept {
    return std::ranges::equal(
        a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool contains(std::span<const std::string_view> names, std::string_view name) noexcept {
    return std::ranges::any_of(names, [&](std::string_view one) { return equal_names(one, name); });
}

/// How wide the instructions are that a core's code uses: 0 for the oldest.
int width_of(std::string_view core) noexcept {
    constexpr std::string_view avx512[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
    constexpr std::string_view avx2[] = {"Haswell", "Zen", "Excavator"};
    constexpr std::string_view avx[] = {"Sandybridge", "Bulldozer", "Piledriver", "Steamroller"};
    return contains(avx512, core) ? 3 : contains(avx2, core) ? 2 : contains(avx, core) ? 1 : 0;
}

/// The file that the dynamic loader names for a library, without links on the way; empty: none.
std::string file_of(const std::string& library, const std::string& names) {
    const std::string path = between(names, library + " => ", " (");
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    return error ? path : real.string();
}

} // namespace

bool blas_record::usual_is_reference() const noexcept {
    const auto has = [this](const char* what) { return usual_path.find(what) != usual_path.npos; };
    // Others put a file of this name into a folder of their own.
    return has("/libblas.so") && !has("openblas") && !has("atlas") && !has("blis") && !has("mkl");
}

blas_record find_blas_record() {
    blas_record found;
    try {
        // The dynamic loader names the files instead of running the program.
        const std::string names =
            output_with(std::string(library_file) + ' ' + usual_file,
                        process_environment::inherited().set("LD_TRACE_LOADED_OBJECTS", "1"));
        found.usual_path = file_of(usual_file, names);
        found.path = file_of(library_file, names);
        if (!found.path.empty()) {
            found.version = version_in(found.path);
            found.requested_core = users_core;
            found.core =
                between(output_with(library_file,
                                    process_environment::inherited().set("OPENBLAS_VERBOSE", "2")),
                        "Core: ", "\n");
        }
    } catch (const std::exception&) {
        // No such program, no memory: nothing is known.
    }
    return found;
}

std::string suitable_blas_core(const processor& machine, std::string_view model) {
    const auto has_all = [&](std::initializer_list<std::string_view> sets) {
        return std::ranges::all_of(sets, [&](std::string_view set) { return machine.has(set); });
    };
    if (has_all({"avx512f", "avx512dq", "avx512bw", "avx512vl"})) {
        return "SkylakeX";
    }
    if (has_all({"avx2", "fma"})) {
        return "Haswell";
    }
    if (has_all({"avx"})) {
        return "Sandybridge";
    }
    constexpr std::pair<std::string_view, std::string_view> arm[] = {
        {"Kunpeng-920 ", "tsv110"},    {"Neoverse-N1", "neoversen1"},
        {"Neoverse-V1", "neoversev1"}, {"Neoverse-N2", "neoversen2"},
        {"Cortex-A72", "cortexa72"},   {"Cortex-A57", "cortexa57"},
        {"ThunderX2", "thunderx2t99"}, {"A64FX", "a64fx"},
    };
    for (const auto& [name, core] : arm) {
        if (model.starts_with(name)) {
            return std::string(core);
        }
    }
    return {};
}

bool is_lesser_blas_core(std::string_view core, std::string_view suitable) noexcept {
    if (core.empty() || suitable.empty()) {
        return false;
    }
    if (width_of(suitable) == 0) { // Arm: one code for all that are unknown.
        return equal_names(core, "armv8");
    }
    return width_of(core) < width_of(suitable);
}

} // namespace regatta::race
