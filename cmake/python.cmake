# The Python extension paddle._core: one file for Python 3.8 to 3.13 (the limited API).
find_package(Python3 3.8 REQUIRED COMPONENTS Interpreter Development.Module)
file(GLOB CORE_SOURCES CONFIGURE_DEPENDS python/_core/*.c)
add_library(_core MODULE ${CORE_SOURCES})
target_include_directories(_core SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
target_include_directories(_core PRIVATE python)
target_compile_definitions(_core PRIVATE Py_LIMITED_API=0x03080000)
target_link_libraries(_core PRIVATE regatta_objects)
# Python's type slots hold function pointers in void *.
target_compile_options(_core PRIVATE -Wno-pedantic)
set_target_properties(_core PROPERTIES PREFIX "" SUFFIX ".abi3.so")

if(SKBUILD)
    set(RG_SCRIPTS_DIR ${SKBUILD_SCRIPTS_DIR})
    install(TARGETS _core LIBRARY DESTINATION paddle)
elseif(NOT SANITIZE)
    # Beside the Python sources, so that the tree itself is an installation.
    add_custom_command(TARGET _core POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:_core>
                ${CMAKE_CURRENT_SOURCE_DIR}/python/paddle/_core.abi3.so VERBATIM)
endif()
