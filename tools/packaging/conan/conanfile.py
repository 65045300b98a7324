# SPDX-License-Identifier: Apache-2.0
"""The two libraries as a package of Conan 2, from the tree that this recipe lies in: conan create tools/packaging/conan"""

import re
from pathlib import Path
from shutil import copyfile, copytree

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class Gathercheck(ConanFile):
    name = "gathercheck"
    description = "Tensor gather operators of ONNX, OpenVINO and others, checked and vectorised"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "threads": [True, False]}
    default_options = {"shared": False, "threads": True}
    generators = "CMakeDeps"

    @property
    def _root(self):
        return Path(self.recipe_folder, "../../..").resolve()

    def set_version(self):
        self.version = re.search(r"gathercheck VERSION ([0-9.]+)", load(self, self._root / "CMakeLists.txt"))[1]

    # Folder by folder: in the root may lie builds of any size.
    def export_sources(self):
        target = Path(self.export_sources_folder)
        for folder in "reference", "optimized", "tools/cmake":
            copytree(self._root / folder, target / folder)
        (target / "conformance").mkdir()
        for file in "CMakeLists.txt", "LICENSE", "README.md", "conformance/plugin.h":
            copyfile(self._root / file, target / file)

    # xsimd, a library of headers, is none of these: CMake finds it, or fetches the version that is pinned.
    def requirements(self):
        if self.options.threads:
            self.requires("onetbb/[>=2021.7 <2023]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.cache_variables["GATHERCHECK_TOOLS"] = False
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_TBB"] = not self.options.threads
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder, "licenses"))
        CMake(self).install()
        for folder in "lib/cmake", "lib/pkgconfig", "share":  # Conan writes its own, and licenses lie elsewhere
            rmdir(self, Path(self.package_folder, folder))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "gathercheck")
        for name, pkg_config in ("reference", "gathercheck"), ("optimized", "gathercheck-optimized"):
            component = self.cpp_info.components[name]
            component.libs = [f"gathercheck_{name}"]
            component.set_property("cmake_target_name", f"gathercheck::{name}")
            component.set_property("pkg_config_name", pkg_config)
        component.requires = ["reference"] + (["onetbb::onetbb"] if self.options.threads else [])
