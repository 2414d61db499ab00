# Python's extension once more, with the kernels of src/gpu, compiled by a C++ compiler as an
# emulation runs them (emu.h), in the place of the CPU's: tests/gpu/test_emulated.py.
if(POLICY CMP0116)
    cmake_policy(SET CMP0116 NEW)
endif()
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER OR NOT TARGET _core OR SANITIZE)
    return()
endif()
enable_language(CXX)
set(EMU ${CMAKE_CURRENT_SOURCE_DIR}/gpu/emu)
file(GLOB EMU_KERNELS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/gpu/op_*.c)
list(FILTER EMU_KERNELS EXCLUDE REGEX "/op_coll\\.c$") # by NCCL, which is not emulated
file(GLOB EMU_CUDA CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/gpu/*.cu)
list(FILTER EMU_CUDA EXCLUDE REGEX "/parts\\.cu$") # of the runtime
add_custom_command(
    OUTPUT ${GENERATED}/emu_kernel_list.c
    COMMAND sh ${CMAKE_SOURCE_DIR}/tools/gen_kernels.sh ${EMU_KERNELS}
            > ${GENERATED}/emu_kernel_list.c
    DEPENDS ${EMU_KERNELS} ${CMAKE_SOURCE_DIR}/tools/gen_kernels.sh VERBATIM)
set(_objects)
foreach(source ${EMU_CUDA} ${EMU}/emu.cpp ${EMU}/copies.cpp ${EMU}/group.cpp)
    get_filename_component(name ${source} NAME_WE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/emu/${name}.o)
    add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/emu
        COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} -c -x c++ ${source} -o ${object}
                -std=c++17 -O1 -g1 -fPIC -w -fno-exceptions -fno-rtti -fvisibility=hidden
                -ffp-contract=off -DRG_EMULATED -include ${EMU}/emu.h -I${EMU}/include
                -I${CMAKE_SOURCE_DIR}/src -MD -MF ${object}.d
        DEPENDS ${source} ${EMU}/emu.h DEPFILE ${object}.d VERBATIM)
    list(APPEND _objects ${object})
endforeach()
add_library(_core_emulated MODULE ${EMU_KERNELS} ${CMAKE_SOURCE_DIR}/src/gpu/fault.c
    ${EMU}/device.c ${_objects} ${GENERATED}/emu_kernel_list.c $<TARGET_OBJECTS:_core>
    $<TARGET_OBJECTS:regatta_objects>)
target_include_directories(_core_emulated PRIVATE ${EMU}/include ${CMAKE_SOURCE_DIR}/src
    $<TARGET_PROPERTY:regatta_objects,INTERFACE_INCLUDE_DIRECTORIES>)
set_source_files_properties(${EMU_KERNELS} PROPERTIES COMPILE_OPTIONS "-include;${EMU}/glue.h")
target_link_libraries(_core_emulated PRIVATE
    $<TARGET_PROPERTY:regatta_objects,INTERFACE_LINK_LIBRARIES>)
set_target_properties(_core_emulated PROPERTIES PREFIX "" SUFFIX ".abi3.so" OUTPUT_NAME _core
    LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/emulated)

# The same as a device that plans run on: another libregatta_cuda.so, beside an extension of its own.
add_library(regatta_cuda_emulated MODULE ${EMU_KERNELS} ${CMAKE_SOURCE_DIR}/src/gpu/fault.c
    ${EMU}/device.c ${EMU}/module.c ${_objects} ${GENERATED}/emu_kernel_list.c)
target_include_directories(regatta_cuda_emulated PRIVATE ${EMU}/include ${CMAKE_SOURCE_DIR}/src
    ${GENERATED})
target_compile_definitions(regatta_cuda_emulated PRIVATE EMU_MODULE)
target_link_libraries(regatta_cuda_emulated PRIVATE Threads::Threads m)
set(EMU_PLACED ${CMAKE_BINARY_DIR}/tests/placed)
set_target_properties(regatta_cuda_emulated PROPERTIES OUTPUT_NAME regatta_cuda LINKER_LANGUAGE CXX
    POSITION_INDEPENDENT_CODE ON LIBRARY_OUTPUT_DIRECTORY ${EMU_PLACED})
add_dependencies(regatta_cuda_emulated _core)
add_custom_command(TARGET regatta_cuda_emulated POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:_core> ${EMU_PLACED}/_core.abi3.so VERBATIM)

# Products by warpgroups, by themselves.
set(_of_groups)
foreach(name wide deep layer emu copies group)
    list(APPEND _of_groups ${CMAKE_CURRENT_BINARY_DIR}/emu/${name}.o)
endforeach()
add_executable(test_groups ${EMU}/test_groups.c ${_of_groups})
target_link_libraries(test_groups PRIVATE ${CMOCKA_LIBRARY} m)
target_include_directories(test_groups PRIVATE ${EMU}/include ${CMAKE_SOURCE_DIR}/src
    ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(test_groups PROPERTIES LINKER_LANGUAGE CXX
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME test_groups COMMAND test_groups WORKING_DIRECTORY ${CMAKE_BINARY_DIR})

# The device itself, its streams and what runs beside them, over an emulated runtime.
set(_of_device)
foreach(name stream side graph choose memory fault)
    list(APPEND _of_device ${CMAKE_SOURCE_DIR}/src/gpu/${name}.c)
endforeach()
add_executable(test_gpu_streams ${EMU}/test_gpu_streams.c ${EMU}/runtime.c ${_of_device})
target_link_libraries(test_gpu_streams PRIVATE regatta_objects ${CMOCKA_LIBRARY})
target_include_directories(test_gpu_streams PRIVATE ${EMU} ${EMU}/include ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(test_gpu_streams PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME test_gpu_streams COMMAND test_gpu_streams WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
