# The library installed without exceptions: a program that has them does not link its pools, whose engine would let
# pass what a task throws.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
install_library(${work}/installed -D REGATTA_MINIMAL=ON)
configure(${CMAKE_CURRENT_LIST_DIR}/user ${work}/user -D CMAKE_BUILD_TYPE= -D REGATTA_FROM=package
    -D CMAKE_PREFIX_PATH=${work}/installed -D REGATTA_VERSION=0.1 -D REGATTA_COMPONENTS=pools)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/user --target pools_user
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
if(status EQUAL 0 OR NOT out MATCHES "fits_headers")
    message(FATAL_ERROR "with exceptions it links, or fails for another reason: ${out}")
endif()
