# The library: the header-only target, the compiled parts, their installation and package files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_package(Threads REQUIRED)

add_library(regatta INTERFACE)
add_library(regatta::regatta ALIAS regatta)
target_compile_features(regatta INTERFACE cxx_std_20)
target_include_directories(regatta INTERFACE
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(regatta INTERFACE Threads::Threads
    $<$<PLATFORM_ID:Windows>:synchronization>) # WaitOnAddress

include(cmake/join_folders.cmake)
include(cmake/pools.cmake)
include(cmake/system.cmake)

set(compiled_parts pools)
if(TARGET regatta_system)
    list(APPEND compiled_parts system)
endif()
if(NOT REGATTA_INSTALL) # Whoever links them builds them.
    list(TRANSFORM compiled_parts PREPEND regatta_)
    set_target_properties(${compiled_parts} PROPERTIES EXCLUDE_FROM_ALL ON)
else()
    install(TARGETS regatta EXPORT regatta-targets)
    install(EXPORT regatta-targets NAMESPACE regatta::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/regatta)
    foreach(part IN LISTS compiled_parts)
        install(TARGETS regatta_${part} EXPORT regatta-${part}-targets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
        install(EXPORT regatta-${part}-targets NAMESPACE regatta::
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/regatta)
    endforeach()
    install(DIRECTORY include/regatta DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    configure_package_config_file(cmake/regatta-config.cmake.in
        ${CMAKE_CURRENT_BINARY_DIR}/package/regatta-config.cmake # Not where find_package looks.
        INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/regatta)
    write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/package/regatta-config-version.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES
        ${CMAKE_CURRENT_BINARY_DIR}/package/regatta-config.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/package/regatta-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/regatta)
    # Where pkg-config files stand, from there to the prefix, so that the tree can be moved.
    set(pkg_config_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
        set(pkg_config_prefix ${CMAKE_INSTALL_PREFIX})
    else()
        file(RELATIVE_PATH pkg_config_prefix /${pkg_config_dir} /)
        string(REGEX REPLACE "/$" "" pkg_config_prefix "\${pcfiledir}/${pkg_config_prefix}")
    endif()
    foreach(folder IN ITEMS INCLUDE LIB)
        set(pkg_config_${folder} ${CMAKE_INSTALL_${folder}DIR})
        cmake_path(ABSOLUTE_PATH pkg_config_${folder} BASE_DIRECTORY "\${prefix}")
    endforeach()
    set(pkg_config_system_libraries "")
    if(WIN32)
        set(pkg_config_system_libraries " -lsynchronization")
    endif()
    # What a build of one configuration adds to the names of its libraries.
    string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
    set(pkg_config_postfix "${CMAKE_${configuration}_POSTFIX}")
    set(pkg_config_files ${compiled_parts})
    list(TRANSFORM pkg_config_files PREPEND regatta-)
    foreach(name IN ITEMS regatta LISTS pkg_config_files)
        configure_file(cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
        install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${pkg_config_dir})
    endforeach()
    # As a part of another project CMAKE_INSTALL_DOCDIR is that project's.
    set(documents ${CMAKE_INSTALL_DOCDIR})
    if(NOT PROJECT_IS_TOP_LEVEL)
        set(documents ${CMAKE_INSTALL_DATAROOTDIR}/doc/regatta)
    endif()
    install(FILES LICENSE README.md CHANGELOG.md LIMITATIONS.md DESTINATION ${documents})
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/docs) # Not in a package's sources.
        install(FILES CONTRIBUTING.md DESTINATION ${documents})
        install(DIRECTORY examples DESTINATION ${documents} PATTERN CMakeLists.txt EXCLUDE) # Part of this project's.
        install(DIRECTORY docs/ DESTINATION ${documents}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
            PATTERN "*.schema.json" PATTERN site EXCLUDE)
        install(CODE "set(documents \"${documents}\")
set(headers \"${CMAKE_INSTALL_INCLUDEDIR}\")")
        install(SCRIPT cmake/link_documents.cmake)
    endif()
endif()
