# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""The recipe of Regatta for Conan 2, beside the sources that it packs: conan create packaging/conan"""

import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class Regatta(ConanFile):
    name = "regatta"
    description = "Thread pools, a message bus, timers, processes and CPUs of one's own for C++20"
    license = "MIT"
    topics = ("thread-pool", "concurrency", "message-bus", "cpu-isolation")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False]}  # The code is always position-independent.
    default_options = {"shared": False}

    def set_version(self):
        # Within Conan's cache the recipe stands alone, and its version is known.
        if not self.version:
            text = load(self, pathlib.Path(self.recipe_folder, "..", "..", "CMakeLists.txt"))
            self.version = re.search(r"project\(regatta VERSION ([\d.]+)", text)[1]

    def export_sources(self):
        root = pathlib.Path(self.recipe_folder, "..", "..").resolve()
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "LIMITATIONS.md", "cmake/*", "include/*",
                        "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["REGATTA_BUILD_COMMAND"] = "OFF"
        toolchain.cache_variables["CMAKE_INSTALL_LIBDIR"] = "lib"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder, "licenses"))
        rmdir(self, pathlib.Path(self.package_folder, "share"))

    def package_info(self):
        # The library's own package file, so that find_package means the same everywhere.
        self.cpp_info.set_property("cmake_find_mode", "none")
        headers = self.cpp_info.components["regatta"]
        headers.set_property("pkg_config_name", "regatta")
        headers.builddirs = ["lib/cmake/regatta"]
        headers.libdirs = []
        if self.settings.os in ("Linux", "FreeBSD"):
            headers.system_libs = ["pthread"]
        elif self.settings.os == "Windows":
            headers.system_libs = ["synchronization"]  # WaitOnAddress
        pools = self.cpp_info.components["pools"]
        pools.set_property("pkg_config_name", "regatta-pools")
        pools.libs = ["regatta_pools"]
        pools.defines = ["REGATTA_COMPILED_POOLS"]
        pools.requires = ["regatta"]
        if self.settings.os == "Linux":
            system = self.cpp_info.components["system"]
            system.set_property("pkg_config_name", "regatta-system")
            system.libs = ["regatta_system"]
            system.requires = ["regatta"]
