# A project finds the installed library, builds with it and runs, also after the tree was moved.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/installed)
file(RENAME ${work}/installed ${work}/moved)

set(user ${CMAKE_CURRENT_LIST_DIR}/user)
configure(${user} ${work}/user -D REGATTA_FROM=package -D CMAKE_PREFIX_PATH=${work}/moved -D REGATTA_VERSION=0.1)
run_user(${work}/user)
configure(${user} ${work}/system_user -D REGATTA_FROM=package -D CMAKE_PREFIX_PATH=${work}/moved
    -D REGATTA_VERSION=0.1 -D REGATTA_COMPONENTS=system)
run_system_user(${work}/system_user)
configure(${user} ${work}/pools_user -D REGATTA_FROM=package -D CMAKE_PREFIX_PATH=${work}/moved
    -D REGATTA_VERSION=0.1 -D REGATTA_COMPONENTS=pools)
run_pools_user(${work}/pools_user)

foreach(other IN ITEMS 0.0 0.2 1.0)
    execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${user} -B ${work}/user-${other} -D REGATTA_FROM=package
        -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${work}/moved -D REGATTA_VERSION=${other}
        RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE messages)
    if(status EQUAL 0 OR NOT messages MATCHES "compatible with requested")
        message(FATAL_ERROR "version ${version} was taken for ${other}, or refused for another reason:\n${messages}")
    endif()
endforeach()

# An installation without regatta::system, as on another system than Linux: its absence is said, and
# the rest can be used. There is no other component.
file(GLOB_RECURSE system_files ${work}/moved/libregatta_system.* ${work}/moved/regatta-system-targets*)
file(REMOVE ${system_files})
foreach(component IN ITEMS system nonsense)
    execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${user} -B ${work}/user-${component}
        -D REGATTA_FROM=package -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${work}/moved
        -D REGATTA_VERSION=0.1 -D REGATTA_COMPONENTS=${component}
        RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE messages)
    string(REGEX REPLACE "[ \n]+" " " messages "${messages}")
    set(reason_of_system "without regatta::system, which needs Linux and exceptions")
    set(reason_of_nonsense "there is no component nonsense: they are pools and system")
    if(status EQUAL 0 OR NOT messages MATCHES "${reason_of_${component}}")
        message(FATAL_ERROR "the component ${component} was found, or missed for another reason:\n${messages}")
    endif()
endforeach()
file(REMOVE_RECURSE ${work}/user)
configure(${user} ${work}/user -D REGATTA_FROM=package -D CMAKE_PREFIX_PATH=${work}/moved -D REGATTA_VERSION=0.1)
run_user(${work}/user)
