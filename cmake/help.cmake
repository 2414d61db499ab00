# Man pages and completion of the command, made by asking it, when it is installed: in
# share/man/man1, share/bash-completion, share/zsh and share/fish below the prefix (or the
# environment that a wheel goes into).
set(RG_SHARE_DIR share)
if(SKBUILD)
    set(RG_SHARE_DIR ${SKBUILD_DATA_DIR}/share)
endif()
find_package(Python3 COMPONENTS Interpreter QUIET)
set(_help ${CMAKE_CURRENT_BINARY_DIR}/help)
install(CODE "
    file(MAKE_DIRECTORY ${_help}/man)
    if(EXISTS \"${Python3_EXECUTABLE}\")
        execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/man_pages.py
            $<TARGET_FILE:paddle> ${_help}/man)
    endif()
    execute_process(COMMAND $<TARGET_FILE:paddle> completion bash OUTPUT_FILE ${_help}/paddle)
    execute_process(COMMAND $<TARGET_FILE:paddle> completion zsh OUTPUT_FILE ${_help}/_paddle)
    execute_process(COMMAND $<TARGET_FILE:paddle> completion fish OUTPUT_FILE ${_help}/paddle.fish)")
install(DIRECTORY ${_help}/man/ DESTINATION ${RG_SHARE_DIR}/man/man1)
install(FILES ${_help}/paddle DESTINATION ${RG_SHARE_DIR}/bash-completion/completions)
install(FILES ${_help}/_paddle DESTINATION ${RG_SHARE_DIR}/zsh/site-functions)
install(FILES ${_help}/paddle.fish DESTINATION ${RG_SHARE_DIR}/fish/vendor_completions.d)
