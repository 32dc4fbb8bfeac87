# In the installed documents links to headers lead to the installed headers: those stand elsewhere than in the sources.
foreach(folder IN ITEMS documents headers)
    cmake_path(ABSOLUTE_PATH ${folder} BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
endforeach()
string(REGEX REPLACE "([][*?])" "[\\1]" folder "$ENV{DESTDIR}${documents}") # What a pattern would take for its own.
file(GLOB pages "${folder}/docs/*/*.md")
cmake_path(RELATIVE_PATH headers BASE_DIRECTORY "${documents}/docs/reference")
foreach(page IN LISTS pages)
    file(READ "${page}" text)
    string(REPLACE "](../../include/" "](${headers}/" text "${text}")
    file(WRITE "${page}" "${text}")
endforeach()
