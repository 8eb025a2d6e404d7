# lsched_embed(TARGET symbol files...): compiles text files into TARGET as the table `symbol` of
# struct embedded_text (cmake/embed/embedded_text.h), in file-name order, each named by its file
# name without .lua. Files that are also named in LSCHED_EMBED_WITHOUT_TEXT have an empty text there.
include_guard(GLOBAL)
set(LSCHED_EMBED_DIR "${CMAKE_CURRENT_LIST_DIR}/embed")

function(lsched_embed target symbol)
    set(output "${PROJECT_BINARY_DIR}/generated/${symbol}.c")
    # The list travels in a file, because a semicolon list does not survive every generator's
    # command line.
    set(list "${PROJECT_BINARY_DIR}/generated/${symbol}.list")
    set(lines "")
    foreach(file IN LISTS ARGN)
        if(file IN_LIST LSCHED_EMBED_WITHOUT_TEXT)
            string(APPEND lines "-")
        endif()
        string(APPEND lines "${file}\n")
    endforeach()
    file(CONFIGURE OUTPUT "${list}" CONTENT "${lines}" @ONLY)
    add_custom_command(
        OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DSYMBOL=${symbol}" "-DLIST=${list}" "-DOUTPUT=${output}"
                -P "${LSCHED_EMBED_DIR}/embed.cmake"
        DEPENDS ${ARGN} "${list}" "${LSCHED_EMBED_DIR}/embed.cmake"
        COMMENT "Embedding ${symbol}"
        VERBATIM)
    target_sources(${target} PRIVATE "${output}")
    target_include_directories(${target} PRIVATE "${LSCHED_EMBED_DIR}")
endfunction()
