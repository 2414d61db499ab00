# The CUDA back end, libregatta_cuda.so: a module that the library, the extension and the command
# load when a GPU is asked for. RG_GPU says whether it is built.
set(RG_GPU OFF)
if(WITH_GPU AND NOT (WITH_GPU STREQUAL "AUTO" AND (SANITIZE OR FUZZ)))
    find_program(NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    get_filename_component(_cuda "${NVCC}" REALPATH)
    get_filename_component(_cuda "${_cuda}/../.." ABSOLUTE)
    find_library(CUBLASLT_LIBRARY cublasLt HINTS ${_cuda} PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib)
    find_library(CUDART_LIBRARY cudart_static HINTS ${_cuda}
        PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib)
    find_path(CUDA_INCLUDE cublasLt.h HINTS ${_cuda} PATH_SUFFIXES include targets/x86_64-linux/include)
    if(NVCC AND CUBLASLT_LIBRARY AND CUDART_LIBRARY AND CUDA_INCLUDE)
        set(RG_GPU ON)
    elseif(NOT WITH_GPU STREQUAL "AUTO")
        message(FATAL_ERROR "WITH_GPU=ON needs nvcc and cuBLASLt: install CUDA 12 or later (Debian: "
            "nvidia-cuda-toolkit; NVIDIA's packages: cuda-nvcc, cuda-cudart-dev, libcublas-dev), with "
            "nvcc in the PATH or CUDA_HOME set; or build with WITH_GPU=OFF "
            "(found: nvcc ${NVCC}, ${CUBLASLT_LIBRARY}, ${CUDART_LIBRARY}, ${CUDA_INCLUDE})")
    endif()
endif()
if(NOT RG_GPU)
    return()
endif()

# Machine code for sm_90 and, by the driver's compiler, for all from sm_80 on.
set(RG_GPU_ARCH "-gencode=arch=compute_90,code=sm_90;-gencode=arch=compute_80,code=compute_80"
    CACHE STRING "what nvcc compiles for")
file(GLOB GPU_SOURCES CONFIGURE_DEPENDS src/gpu/*.c)
file(GLOB GPU_CUDA CONFIGURE_DEPENDS src/gpu/*.cu)
set(_objects)
foreach(source ${GPU_CUDA})
    get_filename_component(name ${source} NAME_WE)
    set(arch ${RG_GPU_ARCH})
    if(name MATCHES "^(wide|deep)$") # by instructions that this chip alone has: others refuse it
        set(arch -gencode=arch=compute_90a,code=sm_90a)
    endif()
    set(object ${CMAKE_CURRENT_BINARY_DIR}/gpu/${name}.cu.o)
    add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/gpu
        COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${NVCC} -c ${source} -o ${object} -O3 -std=c++17 -lineinfo
                ${arch} -I${CMAKE_CURRENT_SOURCE_DIR}/src
                -Xcompiler=-fPIC,-fvisibility=hidden,-fno-exceptions,-fno-rtti,-fno-threadsafe-statics,-Wall,-Wextra
                -MD -MF ${object}.d
        DEPENDS ${source} DEPFILE ${object}.d COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND _objects ${object})
endforeach()
add_custom_command(
    OUTPUT ${GENERATED}/gpu_kernel_list.c
    COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tools/gen_kernels.sh ${GPU_SOURCES}
            > ${GENERATED}/gpu_kernel_list.c
    DEPENDS ${GPU_SOURCES} tools/gen_kernels.sh VERBATIM)
add_library(regatta_cuda MODULE ${GPU_SOURCES} ${_objects} ${GENERATED}/gpu_kernel_list.c)
target_include_directories(regatta_cuda PRIVATE src ${GENERATED})
target_include_directories(regatta_cuda SYSTEM PRIVATE ${CUDA_INCLUDE})
# Its calls into the library are bound when it is loaded (sys/library.h).
target_link_libraries(regatta_cuda PRIVATE ${CUDART_LIBRARY} ${CUBLASLT_LIBRARY} Threads::Threads
    ${CMAKE_DL_LIBS} rt m)
get_filename_component(_lib ${CUBLASLT_LIBRARY} DIRECTORY)
set_target_properties(regatta_cuda PROPERTIES POSITION_INDEPENDENT_CODE ON
    BUILD_RPATH ${_lib} INSTALL_RPATH ${_lib})

if(SKBUILD)
    install(TARGETS regatta_cuda LIBRARY DESTINATION paddle)
else()
    install(TARGETS regatta_cuda LIBRARY DESTINATION lib)
    if(NOT SANITIZE)
        add_custom_command(TARGET regatta_cuda POST_BUILD
            COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:regatta_cuda>
                    ${CMAKE_CURRENT_SOURCE_DIR}/python/paddle/libregatta_cuda.so VERBATIM)
    endif()
endif()
