// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/python.hpp"

#include "machine/memory_file.hpp"

#include <regatta/process/subprocess.hpp>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace regatta::race {
namespace {

/// Prints a line NAME=VALUE for each thing that it finds. The library with which numpy computes is
/// found among those that are loaded, because what numpy was built with may have been exchanged
/// (Debian's alternatives do that).
constexpr const char* questions = R"(
import ctypes, platform, sys
sys.path = [path for path in sys.path if path] # not the working directory

def say(name, value):
    print(name + "=" + str(value).replace("\n", " "))

say("path", sys.executable)
say("version", platform.python_version())
say("implementation", platform.python_implementation())
try:
    import numpy
except ImportError as error:
    say("numpy_error", error)
    raise SystemExit
say("numpy_version", numpy.__version__)
if sys.version_info < (3, 8):
    raise SystemExit
numpy.linalg.inv(numpy.eye(2))

def loaded():
    with open("/proc/self/maps") as maps:
        paths = {line.rstrip("\n").partition("/")[2] for line in maps}
    return sorted("/" + path for path in paths if ".so" in path)

def call(library, name):
    for prefix in ("", "scipy_"):
        for suffix in ("", "64_", "_64", "64"):
            function = getattr(library, prefix + name + suffix, None)
            if function is not None:
                function.restype = ctypes.c_char_p
                return function().decode()
    return ""

for path in loaded():
    file = path.rsplit("/", 1)[1]
    if file.startswith("libmkl_rt"):
        say("blas", "MKL")
    elif file.startswith("libblis"):
        say("blas", "BLIS")
    elif "openblas" in path:
        library = ctypes.CDLL(path)
        core = call(library, "openblas_get_corename")
        if core:
            say("blas", " ".join(call(library, "openblas_get_config").split()[:2]))
            say("core", core)
            break
    elif file.startswith("libblas.so"):
        say("blas", "the reference BLAS")
)";

/// The value in the last line NAME=VALUE of that name; empty without one.
std::string answer_of(std::string_view text, const std::string& name) {
    const std::string begin = name + "=";
    std::string value;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line.starts_with(begin)) {
            value = line.substr(begin.size());
        }
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return value;
}

constexpr const char* remedy =
    "script/bootstrap makes an environment that has it, and $REGATTA_PYTHON names another";

void fill(python_interpreter& found, const std::string& answers) {
    found.path = answer_of(answers, "path");
    found.version = answer_of(answers, "version");
    found.implementation = answer_of(answers, "implementation");
    found.numpy_version = answer_of(answers, "numpy_version");
    found.numpy_blas = answer_of(answers, "blas");
    found.numpy_blas_core = answer_of(answers, "core");
    if (found.numpy_version.empty()) {
        found.missing = "Python " + found.version + " (" + found.path + ") has no numpy (" +
                        answer_of(answers, "numpy_error") + "); " + remedy;
    }
}

} // namespace

python_interpreter ask_python(const std::string& program, std::chrono::seconds limit) {
    python_interpreter found;
    try {
        const memory_file nothing;
        const memory_file answers;
        const memory_file complaints;
        subprocess child = spawn({.program = program,
                                  .arguments = {"-B", "-c", questions},
                                  .standard_input = nothing.descriptor(),
                                  .standard_output = answers.descriptor(),
                                  .standard_error = complaints.descriptor(),
                                  .own_process_group = true});
        const auto status = child.wait_for(limit);
        const std::string text = answers.text();
        if (!status) {
            ::kill(-child.pid(), SIGKILL); // Nobody has waited for it: the number is its group's.
            found.missing = program + " did not answer within " + std::to_string(limit.count()) +
                            " s and was ended; $REGATTA_PYTHON names another";
        } else if (status->success() && answer_of(text, "version").empty()) {
            found.missing = program + " is no Python: it gave no answer";
        } else if (!status->success()) {
            const std::string why = complaints.last_line();
            found.missing = program + " " + (status->signaled() ? "was " : "") +
                            status->describe() + (why.empty() ? "" : ": " + why);
        } else {
            fill(found, text);
        }
    } catch (const std::system_error& error) {
        found.missing =
            "no Python: cannot run " + program + ": " + error.code().message() + "; " + remedy;
    } catch (const std::exception& error) {
        found.missing = "no Python: " + std::string(error.what()) + "; " + remedy;
    }
    return found;
}

std::string made_by_bootstrap(std::string_view name) {
    char path[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    std::string found(path, length < 0 ? 0 : static_cast<std::size_t>(length));
    constexpr std::string_view folder = "/build/";
    const std::size_t at = found.rfind(folder);
    return at == std::string::npos ? "" : found.replace(at + folder.size(), found.npos, name);
}

const python_interpreter& find_python() {
    static const python_interpreter found = [] {
        const char* chosen = std::getenv("REGATTA_PYTHON");
        if (chosen != nullptr && *chosen != '\0') {
            python_interpreter named = ask_python(chosen);
            if (!named.missing.empty()) {
                named.missing = "REGATTA_PYTHON is set: " + named.missing;
            }
            return named;
        }
        const std::string environment = made_by_bootstrap("python/bin/python3");
        return ask_python(::access(environment.c_str(), X_OK) == 0 ? environment : "python3");
    }();
    return found;
}

} // namespace regatta::race
