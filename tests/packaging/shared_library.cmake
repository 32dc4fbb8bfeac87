# regatta::pools and regatta::system as shared libraries: installed, found and used. The latter offers what
# its headers declare, and nothing that is its own business.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
install_library(${work}/installed -D BUILD_SHARED_LIBS=ON)
configure(${CMAKE_CURRENT_LIST_DIR}/user ${work}/user -D REGATTA_FROM=package
    -D CMAKE_PREFIX_PATH=${work}/installed -D REGATTA_VERSION=0.1 -D REGATTA_COMPONENTS=pools+system)
run_system_user(${work}/user)
run_pools_user(${work}/user)
build_and_run(${work}/user hidden_user "200 ended\n")

foreach(name IN ITEMS libregatta_system.so libregatta_system.so.0 libregatta_system.so.${version}
        libregatta_pools.so libregatta_pools.so.0 libregatta_pools.so.${version})
    if(NOT EXISTS ${work}/installed/lib/${name})
        message(FATAL_ERROR "not installed: lib/${name}")
    endif()
endforeach()
# Once installed, the programs of the command find them from where they stand.
if(with_command)
    # In the build of the libraries, which are there.
    configure(${source} ${work}/library -D REGATTA_BUILD_COMMAND=ON -D CMAKE_INSTALL_BINDIR=bin/a/b)
    run(${CMAKE_COMMAND} --build ${work}/library --target regatta_launcher)
    file(GLOB script ${work}/library/*/programs/cmake_install.cmake)
    run(${CMAKE_COMMAND} -D CMAKE_INSTALL_PREFIX=${work}/installed -P ${script})
    find_program(ldd ldd REQUIRED)
    run(${ldd} ${work}/installed/libexec/regatta/regatta-launcher)
    string(FIND "${output}" "=> ${work}/installed/" found)
    file(STRINGS ${work}/library/command/cmake_install.cmake rpath REGEX "ORIGIN/../../../lib\"")
    file(STRINGS ${work}/library/build.ninja helpers REGEX "HELPERS_FROM_COMMAND=.*\"../../../libexec/regatta/")
    if(found EQUAL -1 OR NOT rpath)
        message(SEND_ERROR "installed programs do not look for the libraries: ${output}${rpath}")
    endif()
    if(NOT helpers)
        message(SEND_ERROR "the installed command does not look for its helpers where they are")
    endif()
endif()

find_program(nm nm REQUIRED)
run(${nm} --dynamic --defined-only --demangle ${work}/installed/lib/libregatta_system.so)
if(NOT output MATCHES "regatta::spawn\\(" OR NOT output MATCHES "regatta::exclusive_cpus::acquire\\(")
    message(FATAL_ERROR "the library does not offer what its headers declare:\n${output}")
endif()
string(REGEX MATCHALL "[^\n]* [TDBR] [^\n]*regatta::detail::[^\n]*" private "${output}")
list(FILTER private EXCLUDE REGEX "displacements_of_this_thread") # A template in jitter.hpp calls it.
list(FILTER private EXCLUDE REGEX " [TDBR] [^\n]*regatta::(shared_memory|exclusive_cpus|subprocess|process_pool)::")
# Templates of process_pool call these.
list(FILTER private EXCLUDE REGEX "regatta::detail::(abandon_job|add_process_function|end_fork_of_worker|remove_process_function|result_of|wait_for_result)\\(")
if(private)
    list(JOIN private "\n" private)
    message(FATAL_ERROR "the library shows what is its own business:\n${private}")
endif()
