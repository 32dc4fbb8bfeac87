# Steps that the packaging tests share.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
# What compiles a compiler cache remembers, if there is one.
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${launcher}")

# run(COMMAND...): runs it, stops the test when it fails, leaves what it printed in `output`.
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT status EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\nfailed (${status}):\n${out}")
    endif()
    set(output "${out}" PARENT_SCOPE)
endfunction()

# configure(SOURCE BUILD OPTION...): configures a project with the compiler under test, unoptimised.
function(configure from to)
    run(${CMAKE_COMMAND} -G Ninja -S ${from} -B ${to}
        -D CMAKE_CXX_COMPILER=${compiler} ${ARGN})
endfunction()

# install_library(PREFIX OPTION...): configures the library alone and installs it. What is installed is the same with
# and without optimisation.
function(install_library prefix)
    configure(${source} ${work}/library -D REGATTA_BUILD_COMMAND=OFF -D CMAKE_CXX_FLAGS_RELEASE=-O0
        -D REGATTA_BUILD_TESTS=OFF -D REGATTA_BUILD_EXAMPLES=OFF -D CMAKE_INSTALL_LIBDIR=lib
        ${ARGN})
    run(${CMAKE_COMMAND} --build ${work}/library)
    run(${CMAKE_COMMAND} --install ${work}/library --prefix ${prefix})
endfunction()

# build_and_run(BUILD PROGRAM OUTPUT): builds the user's project, runs that program of it, and stops the
# test if it prints anything else.
function(build_and_run built program expected)
    run(${CMAKE_COMMAND} --build ${built})
    run(${built}/${program})
    if(NOT output STREQUAL expected)
        message(FATAL_ERROR "${program} printed: ${output}")
    endif()
endfunction()

function(run_user built)
    build_and_run(${built} user "regatta ${version}\n")
endfunction()
function(run_pools_user built)
    build_and_run(${built} pools_user "400\n")
endfunction()
function(run_system_user built)
    build_and_run(${built} system_user "true exited with status 0, 0 CPUs\n")
endfunction()
