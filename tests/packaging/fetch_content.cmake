# A project fetches an archive of the library: it gets the targets and nothing else, and builds
# what it links.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(MAKE_DIRECTORY ${work}/regatta-${version})
foreach(name IN ITEMS CMakeLists.txt cmake include src)
    file(COPY ${source}/${name} DESTINATION ${work}/regatta-${version})
endforeach()
run(${CMAKE_COMMAND} -E chdir ${work} ${CMAKE_COMMAND} -E tar czf regatta.tar.gz regatta-${version})
configure(${CMAKE_CURRENT_LIST_DIR}/user ${work}/user -D CMAKE_BUILD_TYPE= -D REGATTA_FROM=archive
    -D REGATTA_ARCHIVE=${work}/regatta.tar.gz)
run(${CMAKE_COMMAND} --build ${work}/user)
run(${work}/user/user)
if(NOT output STREQUAL "regatta ${version}\n")
    message(FATAL_ERROR "the program printed: ${output}")
endif()
file(GLOB_RECURSE compiled ${work}/user/libregatta_*)
if(compiled)
    message(FATAL_ERROR "it builds what nobody links: ${compiled}")
endif()
