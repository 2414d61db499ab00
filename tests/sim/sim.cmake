# tests/sim: a whole job in one thread over a virtual clock, network and disk. The library's objects
# as they are, but for the files of src/sys that the simulator stands in for; calls of pthreads go
# to tests/sim/threads.c.
if(SANITIZE)
    return() # ThreadSanitizer does not know coroutines; with AddressSanitizer a process has 15 MB of
endif()      # data, which are copied with each switch
file(GLOB SIM_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
set(SIM_INSTEAD "src/sys/(clock|fault|guard|loop|process)[.]c")
set(SIM_WRAPPED
    pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock
    pthread_mutex_unlock pthread_cond_init pthread_cond_destroy pthread_cond_wait
    pthread_cond_timedwait pthread_cond_signal pthread_cond_broadcast pthread_create pthread_join
    pthread_detach pthread_self pthread_once pthread_setname_np RAND_bytes getenv
    open openat close read pread write pwrite writev lseek ftruncate posix_fallocate mmap munmap
    fsync fdatasync syncfs fcntl fstat stat lstat fstatat mkdir mkdirat unlinkat renameat scandirat realpath getrandom)
add_executable(sim ${SIM_SOURCES}
    $<FILTER:$<TARGET_OBJECTS:regatta_objects>,EXCLUDE,${SIM_INSTEAD}>)
target_include_directories(sim PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
    $<TARGET_PROPERTY:regatta_objects,INTERFACE_INCLUDE_DIRECTORIES>)
target_include_directories(sim SYSTEM PRIVATE
    $<TARGET_PROPERTY:regatta_objects,INTERFACE_SYSTEM_INCLUDE_DIRECTORIES>)
target_link_libraries(sim PRIVATE $<TARGET_PROPERTY:regatta_objects,INTERFACE_LINK_LIBRARIES>)
list(TRANSFORM SIM_WRAPPED PREPEND "-Wl,--wrap=")
target_link_options(sim PRIVATE ${SIM_WRAPPED})
set_target_properties(sim PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_dependencies(c_tests sim)
add_test(NAME sim COMMAND sim --seeds 0:240 WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
