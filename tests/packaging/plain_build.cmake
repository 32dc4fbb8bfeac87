# Configured without any option the build makes what is installed, optimised, and nothing else, beside the
# builds of the presets; it says what it leaves out, and which packages bring that.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
# targets_of(BUILD): what its default target builds, in `built`.
function(targets_of folder)
    run(${CMAKE_COMMAND} --build ${folder} --target help)
    set(built "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} -G Ninja -S ${source} -B ${work}/all -D CMAKE_CXX_COMPILER=${compiler})
if(NOT output MATCHES "regatta::system\n.*the command regatta with man pages and completion")
    message(SEND_ERROR "it does not say what it installs: ${output}")
endif()
targets_of(${work}/all)
if(NOT built MATCHES "regatta_command" OR NOT built MATCHES "regatta_documents" OR NOT built MATCHES "uninstall")
    message(SEND_ERROR "not built: the command, its documents or the target uninstall: ${built}")
endif()
if(built MATCHES "gtest|bench_|example_|_unit|_contract|headers_alone")
    message(SEND_ERROR "built without being asked for: ${CMAKE_MATCH_0}")
endif()
# The presets build in folders of build/, which is where the documents make the plain build.
file(READ ${source}/CMakePresets.json presets)
string(JSON count LENGTH "${presets}" configurePresets)
math(EXPR last "${count} - 1")
foreach(number RANGE ${last})
    string(JSON preset GET "${presets}" configurePresets ${number} name)
    if(EXISTS ${work}/all/${preset})
        message(SEND_ERROR "a plain build has a folder ${preset}, as the preset of that name")
    endif()
endforeach()
file(STRINGS ${work}/all/CMakeCache.txt type REGEX "^CMAKE_BUILD_TYPE:STRING=Release$")
if(NOT type)
    message(SEND_ERROR "a plain build is not optimised")
endif()

run(${CMAKE_COMMAND} -G Ninja -S ${source} -B ${work}/without -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON)
foreach(text IN ITEMS "not the command regatta" "CLI11 \\(Debian package libcli11-dev\\)"
        "fmt \\(Debian package libfmt-dev\\)" "apt-get install libcli11-dev libfmt-dev,")
    if(NOT output MATCHES "${text}")
        message(SEND_ERROR "it does not say '${text}': ${output}")
    endif()
endforeach()
targets_of(${work}/without)
if(built MATCHES "regatta_command" OR NOT built MATCHES "regatta_system")
    message(SEND_ERROR "without CLI11 and fmt it builds: ${built}")
endif()

# The tests without the examples, and the benches without some peers; with a flag that has quotation marks.
run(${CMAKE_COMMAND} -G Ninja -S ${source} -B ${work}/tests -D CMAKE_CXX_COMPILER=${compiler} -D REGATTA_BUILD_TESTS=ON
    -D REGATTA_BUILD_BENCHES=ON "-D CMAKE_CXX_FLAGS=-I \"${work}/two words\""
    -D CMAKE_DISABLE_FIND_PACKAGE_Boost=ON -D CMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -D CMAKE_DISABLE_FIND_PACKAGE_TBB=ON
    -D REGATTA_ZMQ_LIBRARY= -D REGATTA_CONCURRENTQUEUE_INCLUDE_DIR=)
foreach(text IN ITEMS "Without the bench pools: TBB, Boost, Eigen3" "Without the bench timers: Boost"
        "Without the bench bus: Boost, ZeroMQ, concurrentqueue")
    if(NOT output MATCHES "${text}")
        message(SEND_ERROR "it does not say '${text}': ${output}")
    endif()
endforeach()
run(${CMAKE_COMMAND} --build ${work}/tests --target engine/CMakeFiles/regatta_race_cold.dir/machine/fingerprint.cpp.o)

# With several configurations each has its programs in a folder where they find each other; with a compiler that
# lacks its static libraries none asks for them.
file(WRITE ${work}/compiler "#!/bin/sh
case \" $* \" in *' -static-libstdc++ '*) exit 1 ;; esac
exec ${compiler} \"$@\"\n")
file(CHMOD ${work}/compiler PERMISSIONS OWNER_READ OWNER_EXECUTE)
run(${CMAKE_COMMAND} -G "Ninja Multi-Config" -S ${source} -B ${work}/several -D CMAKE_CXX_COMPILER=${work}/compiler
    -D CMAKE_RUNTIME_OUTPUT_DIRECTORY=${work}/elsewhere)
file(READ ${work}/several/CMakeFiles/impl-Debug.ninja rules)
foreach(program IN ITEMS command/regatta libexec/regatta/regatta-launcher libexec/regatta/regatta-worker)
    if(NOT rules MATCHES "\nbuild Debug/${program}: ")
        message(SEND_ERROR "there is no Debug/${program}")
    endif()
endforeach()
if(NOT rules MATCHES "REGATTA_BUILD_TYPE=[\\\\\"]*Debug")
    message(SEND_ERROR "an unoptimised build calls itself otherwise")
endif()
if(rules MATCHES "-static-libstdc\\+\\+")
    message(SEND_ERROR "it links what the compiler lacks")
endif()
