# cmake -D compiler=C -D include=DIR -D headers=H -D file=F -P check.cmake: see CMakeLists.txt.
cmake_minimum_required(VERSION 3.25)

# message(FATAL_ERROR) alone would break the compiler's lines.
function(complain text)
    message("${text}")
    message(FATAL_ERROR "not refused as expected")
endfunction()

file(STRINGS ${file} expected REGEX "^// expect: " LIMIT_COUNT 1)
string(REPLACE "// expect: " "" expected "${expected}")
if(expected STREQUAL "")
    complain("${file} has no line '// expect: REGEX'")
endif()

set(compile ${compiler} -std=c++20 -fsyntax-only -I ${include} -include ${headers} ${file})
set(plain ${CMAKE_COMMAND} -E env LC_ALL=C)
execute_process(COMMAND ${plain} ${compile} RESULT_VARIABLE status ERROR_VARIABLE messages)
if(status EQUAL 0)
    complain("${file} compiles, expected: ${expected}")
endif()
if(NOT messages MATCHES "${expected}")
    complain("${file} is refused, but no message matches '${expected}':\n${messages}")
endif()
execute_process(COMMAND ${plain} ${compile} -D EXPECT_OK RESULT_VARIABLE status ERROR_VARIABLE messages)
if(NOT status EQUAL 0)
    complain("${file} is refused with EXPECT_OK as well:\n${messages}")
endif()
