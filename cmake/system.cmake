# The compiled part: processes, leases of CPUs, their inspection and plans for the next boot. Linux
# only, with exceptions. Static unless BUILD_SHARED_LIBS says otherwise.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR REGATTA_MINIMAL)
    return()
endif()

set(regatta_system_folders process process/process_pool lease inspect boot)
set(regatta_system_process
    available_memory.cpp exit_status.cpp find_program.cpp kernel_gaps.cpp poll_descriptors.cpp
    process_affinity.cpp process_environment.cpp segment_directory.cpp segment_file.cpp segment_header.cpp
    segment_list.cpp segment_name.cpp shared_memory.cpp spawn_child.cpp stale_segments.cpp
    start_program.cpp subprocess.cpp)
set(regatta_system_process/process_pool
    arena.cpp function_registry.cpp job_table.cpp oom_kills.cpp pool_arenas.cpp pool_core.cpp
    pool_monitor.cpp pool_options.cpp process_job.cpp process_pool.cpp task_failure.cpp worker_entry.cpp
    worker_fleet.cpp worker_loop.cpp zygote.cpp)
set(regatta_system_lease
    cpuset_plans.cpp exclusive_acquire.cpp exclusive_cpu_file.cpp exclusive_cpus.cpp
    exclusive_entry.cpp exclusive_journal.cpp exclusive_leases.cpp exclusive_machine.cpp
    exclusive_masks.cpp exclusive_plan.cpp exclusive_preview.cpp exclusive_request.cpp
    exclusive_step.cpp exclusive_system.cpp exclusive_tasks.cpp file_steps.cpp group_steps.cpp
    lease_access.cpp lease_record.cpp lease_state.cpp mask_steps.cpp plan_steps.cpp stale_leases.cpp
    step_rules.cpp)
set(regatta_system_inspect
    cpu_watch.cpp exclusivity_check.cpp exclusivity_checker.cpp exclusivity_report.cpp
    gap_attribution.cpp gap_probe.cpp interrupt_counts.cpp jitter.cpp sight_limits.cpp
    steal_time.cpp switch_trace.cpp task_directory.cpp task_history.cpp task_scan.cpp task_stat.cpp
    tick_phase.cpp)
set(regatta_system_boot
    boot_line.cpp boot_loader.cpp huge_pages.cpp kernel_config.cpp)

# regatta_add_system(TARGET [STATIC]): builds the sources once; by folder, which takes a third of their CPU time one by
# one. What no header offers by REGATTA_SYSTEM_API is hidden from those who link a shared library.
function(regatta_add_system target)
    set(sources "")
    foreach(folder IN LISTS regatta_system_folders)
        foreach(file IN LISTS regatta_system_${folder})
            list(APPEND sources ${PROJECT_SOURCE_DIR}/src/${folder}/${file})
        endforeach()
    endforeach()
    add_library(${target} ${ARGN} ${sources})
    regatta_join_folders(${target} ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PUBLIC regatta::regatta)
    if(TARGET regatta_development)
        target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:regatta_development>)
    endif()
    # Before the folders of a project that this is a part of.
    target_include_directories(${target} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/src)
    # On 32-bit machines: files, inode numbers and limits of 64 bits.
    target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# The number of the shared library's binary interface: one more with each version that a program linked
# before cannot run with. The Debian package libregatta-systemN carries it in its name.
set(regatta_system_abi 0)
regatta_add_system(regatta_system)
add_library(regatta::system ALIAS regatta_system)
set_target_properties(regatta_system PROPERTIES EXPORT_NAME system
    VERSION ${PROJECT_VERSION} SOVERSION ${regatta_system_abi})
