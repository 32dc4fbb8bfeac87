# regatta::pools: the engine of the pools, compiled once. Whoever links it compiles a file with a pool in
# less than half of the time. Static unless BUILD_SHARED_LIBS says otherwise. What it offers is all default
# visibility: templates in the headers use any of it.
add_library(regatta_pools src/pool/pools.cpp)
add_library(regatta::pools ALIAS regatta_pools)
target_link_libraries(regatta_pools PUBLIC regatta::regatta)
if(TARGET regatta_development)
    target_link_libraries(regatta_pools PRIVATE $<BUILD_INTERFACE:regatta_development>)
endif()
target_compile_definitions(regatta_pools PUBLIC REGATTA_COMPILED_POOLS PRIVATE REGATTA_BUILDS_POOLS)

# A program that was linked before runs only with the version whose headers it saw: they inline parts of
# the engine. So the number of the shared library's binary interface grows with each version.
set(regatta_pools_abi 0)
set_target_properties(regatta_pools PROPERTIES EXPORT_NAME pools CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION} SOVERSION ${regatta_pools_abi})
