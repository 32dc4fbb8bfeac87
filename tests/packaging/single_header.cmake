# The single header is made, and two files of one program that include it compile without a warning; it
# includes nothing but the standard library and the system.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
run(${source}/script/single_header ${work}/regatta.hpp core/std_future.hpp)
file(STRINGS ${work}/regatta.hpp own REGEX "# *include *[<\"]regatta|# *include *\"")
if(own)
    message(FATAL_ERROR "it still includes: ${own}")
endif()
file(STRINGS ${work}/regatta.hpp first LIMIT_COUNT 1)
if(NOT first MATCHES "^// Regatta ${version}, made of .*regatta/pool.hpp.*regatta/bus.hpp.*regatta/time.hpp")
    message(FATAL_ERROR "its first line is: ${first}")
endif()
set(program ${CMAKE_CURRENT_LIST_DIR}/single_header)
run(${compiler} -std=c++20 -Wall -Wextra -Werror -pthread -I${work} ${program}/program.cpp ${program}/second_file.cpp
    -o ${work}/program)
run(${work}/program)
if(NOT output STREQUAL "pool 42, future 43, bus 1, worker_pool 2, timer 1\n")
    message(FATAL_ERROR "the program printed: ${output}")
endif()
