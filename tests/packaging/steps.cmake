# Steps that the packaging tests share.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

# run(COMMAND...): runs it, stops the test when it fails, leaves what it printed in `output`.
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT status EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\nfailed (${status}):\n${out}")
    endif()
    set(output "${out}" PARENT_SCOPE)
endfunction()

# configure(SOURCE BUILD OPTION...): configures a project with the compiler under test.
function(configure from to)
    run(${CMAKE_COMMAND} -G Ninja -S ${from} -B ${to}
        -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=Release ${ARGN})
endfunction()

# install_library(PREFIX OPTION...): configures the library alone, unoptimised, and installs it.
function(install_library prefix)
    configure(${source} ${work}/library -D CMAKE_BUILD_TYPE= -D REGATTA_BUILD_COMMAND=OFF
        -D REGATTA_BUILD_TESTS=OFF -D REGATTA_BUILD_EXAMPLES=OFF -D CMAKE_INSTALL_LIBDIR=lib
        ${ARGN})
    run(${CMAKE_COMMAND} --build ${work}/library)
    run(${CMAKE_COMMAND} --install ${work}/library --prefix ${prefix})
endfunction()

# run_user(BUILD): builds the user's project and runs its program.
function(run_user built)
    run(${CMAKE_COMMAND} --build ${built})
    run(${built}/user)
    if(NOT output STREQUAL "regatta ${version}\n")
        message(FATAL_ERROR "the program printed: ${output}")
    endif()
endfunction()

# run_pools_user(BUILD): the same for its program that uses regatta::pools.
function(run_pools_user built)
    run(${CMAKE_COMMAND} --build ${built})
    run(${built}/pools_user)
    if(NOT output STREQUAL "400\n")
        message(FATAL_ERROR "the program printed: ${output}")
    endif()
endfunction()

# run_system_user(BUILD): the same for its program that uses regatta::system.
function(run_system_user built)
    run(${CMAKE_COMMAND} --build ${built})
    run(${built}/system_user)
    if(NOT output STREQUAL "true exited with status 0, 0 CPUs\n")
        message(FATAL_ERROR "the program printed: ${output}")
    endif()
endfunction()
