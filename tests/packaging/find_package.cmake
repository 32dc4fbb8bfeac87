# A project finds the installed library, builds with it and runs, also after the tree was moved.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
install_library(${work}/installed)
file(RENAME ${work}/installed ${work}/moved)

set(user ${CMAKE_CURRENT_LIST_DIR}/user)
configure(${user} ${work}/user -D REGATTA_FROM=package -D CMAKE_PREFIX_PATH=${work}/moved -D REGATTA_VERSION=0.1)
run_user(${work}/user)

foreach(other IN ITEMS 0.0 0.2 1.0)
    execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${user} -B ${work}/user-${other} -D REGATTA_FROM=package
        -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${work}/moved -D REGATTA_VERSION=${other}
        RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE messages)
    if(status EQUAL 0 OR NOT messages MATCHES "compatible with requested")
        message(FATAL_ERROR "version ${version} was taken for ${other}, or refused for another reason:\n${messages}")
    endif()
endforeach()
