# A project takes the library's folder into its own build, which joins sources and has a file named like one of the
# library's: it gets the target and nothing else.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(WRITE ${work}/process/subprocess.cpp "#error of another project\n")
file(WRITE ${work}/folders.cmake "include_directories(${work})\n")
configure(${CMAKE_CURRENT_LIST_DIR}/user ${work}/user -D CMAKE_BUILD_TYPE= -D CMAKE_UNITY_BUILD=ON -D REGATTA_FROM=folder
    -D CMAKE_PROJECT_user_INCLUDE=${work}/folders.cmake -D REGATTA_FOLDER=${source} -D REGATTA_COMPONENTS=system
    -D CMAKE_INSTALL_PREFIX=${work}/installed)
run_user(${work}/user)
run_system_user(${work}/user)

run(${CMAKE_COMMAND} --install ${work}/user)
file(GLOB_RECURSE installed RELATIVE ${work}/installed ${work}/installed/*)
list(SORT installed)
if(NOT installed STREQUAL "bin/system_user;bin/user")
    message(FATAL_ERROR "installing the project also installed: ${installed}")
endif()

# What it leaves out it builds for whoever asks, without Python too, and still installs nothing.
file(WRITE ${work}/asking/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(asking LANGUAGES CXX)
add_subdirectory(${source} regatta)\n")
configure(${work}/asking ${work}/asked -D REGATTA_BUILD_EXAMPLES=ON -D REGATTA_BUILD_COMMAND=${with_command}
    -D CMAKE_DISABLE_FIND_PACKAGE_Python3=ON)
run(${CMAKE_COMMAND} --build ${work}/asked --target example_11_first_pool)
run(${work}/asked/regatta/examples/example_11_first_pool)
run(${CMAKE_COMMAND} --install ${work}/asked --prefix ${work}/nothing)
if(EXISTS ${work}/nothing)
    message(FATAL_ERROR "installing the project that builds the examples installed something")
endif()

configure(${work}/asking ${work}/guests -D REGATTA_BUILD_GUESTS=ON)
file(STRINGS ${work}/guests/build.ninja linked REGEX "-lregatta_development")
if(linked)
    message(FATAL_ERROR "the tests in virtual machines miss a target that is not theirs: ${linked}")
endif()

# Asked to install, it leaves the documents of the project alone.
file(WRITE ${work}/including/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(including LANGUAGES CXX)
include(GNUInstallDirs)
add_subdirectory(${source} regatta)\n")
configure(${work}/including ${work}/included -D REGATTA_INSTALL=ON)
file(STRINGS ${work}/included/regatta/cmake_install.cmake documents REGEX "share/doc/")
if(NOT documents MATCHES "share/doc/regatta" OR documents MATCHES "share/doc/including")
    message(FATAL_ERROR "the documents are installed so: ${documents}")
endif()
