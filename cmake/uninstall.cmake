# The target `uninstall`: removes what the last `cmake --install` of this build folder installed, and
# the folders that are empty then. As a script it does that (cmake -D build=FOLDER -P uninstall.cmake).
if(NOT CMAKE_SCRIPT_MODE_FILE)
    add_custom_target(uninstall
        COMMAND ${CMAKE_COMMAND} -D build=${PROJECT_BINARY_DIR} -P ${CMAKE_CURRENT_LIST_FILE}
        COMMENT "Uninstalling Regatta" VERBATIM)
    return()
endif()

cmake_minimum_required(VERSION 3.25)
set(manifest ${build}/install_manifest.txt)
if(NOT EXISTS ${manifest})
    message(FATAL_ERROR "nothing to uninstall: there is no ${manifest}, which `cmake --install` writes")
endif()
file(STRINGS ${manifest} files ENCODING UTF-8) # Without, a letter beyond ASCII ends a line.
set(folders "")
foreach(file IN LISTS files)
    set(file $ENV{DESTDIR}${file})
    if(EXISTS ${file} OR IS_SYMLINK ${file})
        message(STATUS "Removing ${file}")
        file(REMOVE ${file})
        if(EXISTS ${file} OR IS_SYMLINK ${file})
            message(FATAL_ERROR "cannot remove ${file}: run this as the user who installed it")
        endif()
    endif()
    # Folders that only Regatta has.
    cmake_path(GET file PARENT_PATH folder)
    while(folder MATCHES "/regatta(/|$)")
        list(APPEND folders ${folder})
        cmake_path(GET folder PARENT_PATH folder)
    endwhile()
endforeach()
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING) # A folder after those in it.
foreach(folder IN LISTS folders)
    string(REGEX REPLACE "([][*?])" "[\\1]" pattern "${folder}")
    file(GLOB left "${pattern}/*")
    if(IS_DIRECTORY ${folder} AND NOT left)
        file(REMOVE_RECURSE ${folder})
    endif()
endforeach()
file(REMOVE ${manifest})
