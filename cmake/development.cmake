# How this project itself is built: warnings, sanitizers and the minimal language.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# What an earlier build has compiled is taken from ccache where that is installed, unless the caller
# chose a launcher. Paths below the checkout are relative in what it compares, and the folder of the
# build is left out, so that another clone finds the same objects. -D REGATTA_CCACHE=OFF does without.
find_program(REGATTA_CCACHE ccache DOC "The compiler cache, or OFF")
if(REGATTA_CCACHE AND CMAKE_HOST_UNIX AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${REGATTA_CCACHE})
endif()

add_library(regatta_development INTERFACE)
target_compile_options(regatta_development INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
    # GCC 12 takes `"text" + std::string` for overlapping memory, depending on what it inlines.
    -Wno-restrict
    # Likewise it sees a vector of threads end before its first element.
    -Wno-array-bounds)
# A warning stops those who work on this project, not those who install it with another compiler. Where
# little is optimised GCC 12 warns of accesses that are not there.
if((REGATTA_BUILD_TESTS OR REGATTA_BUILD_MODELS OR REGATTA_BUILD_GUESTS) AND NOT REGATTA_SANITIZE
   AND NOT CMAKE_CROSSCOMPILING)
    # But for this one: GCC 12 sees members of an alternative that a std::variant does not hold.
    target_compile_options(regatta_development INTERFACE -Werror -Wno-error=maybe-uninitialized)
endif()
if(REGATTA_MINIMAL)
    target_compile_options(regatta_development INTERFACE -fno-exceptions -fno-rtti)
endif()
if(REGATTA_SANITIZE)
    # Everything in the build is instrumented alike, the test framework included.
    add_compile_options(-fsanitize=${REGATTA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${REGATTA_SANITIZE})
    if(REGATTA_SANITIZE MATCHES "address")
        # Each check is a call of the run-time library instead of code of its own: an object is compiled in
        # 0.88 of the time.
        add_compile_options("$<$<CXX_COMPILER_ID:GNU>:SHELL:--param asan-instrumentation-with-call-threshold=0>")
    endif()
    if(REGATTA_SANITIZE MATCHES "undefined")
        # Of all checks these two cost a quarter of the compiling; regatta_check_layout asks for them.
        add_compile_options(-fno-sanitize=null,alignment)
    endif()
    # Programs at a fixed address: the checks' descriptions hold millions of addresses, which every start of
    # the command would otherwise relocate. In the flags, because what is in a shared library has -fPIC
    # after them.
    string(APPEND CMAKE_CXX_FLAGS " -fno-pie")
    string(APPEND CMAKE_C_FLAGS " -fno-pie")
    string(APPEND CMAKE_EXE_LINKER_FLAGS " -no-pie")
    # The instrumentation hides from GCC what a value can be, so that it warns of code that it finds
    # sound in the other builds.
    target_compile_options(regatta_development INTERFACE
        -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
# regatta_check_layout(TARGET...): where memory is laid out by hand, the sanitizer of undefined behaviour also checks
# that no pointer is null or misaligned.
function(regatta_check_layout)
    if(REGATTA_SANITIZE MATCHES "undefined")
        foreach(target IN LISTS ARGN)
            target_compile_options(${target} PRIVATE -fsanitize=null,alignment)
        endforeach()
    endif()
endfunction()
if(REGATTA_RANDOM_DELAYS)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        message(FATAL_ERROR "REGATTA_RANDOM_DELAYS needs GCC, not ${CMAKE_CXX_COMPILER_ID}")
    endif()
    target_compile_options(regatta_development INTERFACE -fsanitize-coverage=trace-pc
        "SHELL:-include \"${PROJECT_SOURCE_DIR}/tests/random_delays.hpp\"")
    target_compile_definitions(regatta_development INTERFACE REGATTA_DELAYED_TESTS)
endif()

# Precompiled headers: what ccache needs to keep the files that use them.
add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND NOT DEFINED ENV{CCACHE_SLOPPINESS})
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros)
endif()

# Eight test files in one are a lot of code: GCC spends a tenth of its time on looking for memory to use again. The same
# in all builds of the tests, so that one with the flags of another finds its objects in the compiler cache.
if(REGATTA_BUILD_TESTS OR REGATTA_BUILD_MODELS OR REGATTA_BUILD_GUESTS)
    add_compile_options("$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=524288>")
endif()
