# Warnings, hardening and sanitizers, the same for every target.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_C_FLAGS_RELEASE "-O3")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

add_compile_definitions(_GNU_SOURCE)
add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wformat=2 -Wno-missing-field-initializers -Werror
    -fno-math-errno -fno-trapping-math -g1
    -fstack-protector-strong -fstack-clash-protection)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # gcc does not see that an out-parameter is set wherever RG_OK is returned.
    add_compile_options(-Wno-maybe-uninitialized)
endif()
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    add_compile_options(-fcf-protection)
endif()

if(FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(SANITIZE STREQUAL "address")
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
        -fno-omit-frame-pointer -O1)
    add_link_options(-fsanitize=address,undefined)
    add_compile_definitions(RG_NO_CLONES)
elseif(SANITIZE STREQUAL "thread")
    add_compile_options(-fsanitize=thread -O1)
    add_link_options(-fsanitize=thread)
    add_compile_definitions(RG_NO_CLONES)
elseif(SANITIZE)
    message(FATAL_ERROR "SANITIZE=${SANITIZE}: address or thread")
else()
    add_compile_definitions(_FORTIFY_SOURCE=2)
endif()
if(FAULTS)
    add_compile_definitions(RG_FAULTS)
endif()
