# The name by which programs that are linked with a shared library ask for it.
function(soname result library)
    execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic
        RESULT_VARIABLE failed)
    if(failed OR NOT dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
        message(FATAL_ERROR "${library} is no shared library with a name of its own")
    endif()
    set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()
