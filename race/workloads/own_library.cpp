// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/own_library.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace regatta::race {
namespace {

constinit thread_local own_code here;

struct library_paths {
    std::mutex mutex;
    std::vector<std::string> all;
};

library_paths& loaded_paths() {
    static library_paths paths;
    return paths;
}

/// What to do with a file that is no library, or nothing.
std::string advice_on(const std::string& path, const std::string& error) {
    char magic[4] = {};
    std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
    const bool library =
        std::memcmp(magic, "\177ELF", sizeof magic) == 0 && error.find("executable") == error.npos;
    return library
               ? std::string()
               : "; a library is made with -shared -fPIC, and a program or script takes part by "
                 "--command 'NAME=COMMAND'";
}

} // namespace

bool names_file(std::string_view text) noexcept {
    return text.find('/') != text.npos || text.ends_with(".so");
}

file_stamp stamp_of(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) {
        throw std::runtime_error(path + ": " + std::strerror(errno));
    }
    return {about.st_dev, about.st_ino, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
}

std::string path_from_root(const std::string& path) {
    char* const real = ::realpath(path.c_str(), nullptr);
    if (real == nullptr) {
        throw std::runtime_error(path + ": " + std::strerror(errno));
    }
    std::string whole(real);
    std::free(real);
    return whole;
}

void* function_of_library(const std::string& path, const char* function, std::string& why) {
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const std::string error = ::dlerror();
        why = error + advice_on(path, error);
        return nullptr;
    }
    {
        auto& [mutex, all] = loaded_paths();
        const std::lock_guard lock(mutex);
        if (std::ranges::find(all, path) == all.end()) {
            all.push_back(path);
        }
    }
    void* const found = ::dlsym(library, function);
    if (found == nullptr) {
        why = std::string("it exports no function ") + function +
              ", or hides it (-fvisibility=hidden)";
    }
    return found;
}

std::vector<std::string> loaded_libraries() {
    auto& [mutex, all] = loaded_paths();
    const std::lock_guard lock(mutex);
    return all;
}

own_code own_code_here() noexcept {
    return here;
}

own_code_scope::own_code_scope(const char* part, std::size_t item) noexcept : outer_(here) {
    here = {part, item};
}

own_code_scope::~own_code_scope() {
    here = outer_;
}

} // namespace regatta::race
