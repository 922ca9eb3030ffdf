# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later

# A header with the commit that is compiled, made again when there is another one; "" where the
# source is no checkout. Run with -DHEADER=... it writes the header, included it makes the rule.

if(HEADER)
    execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define FRINGE_COMMIT \"@commit@\"\n" @ONLY)
    return()
endif()

function(add_commit_header header)
    set(changes)
    if(EXISTS ${PROJECT_SOURCE_DIR}/.git)
        execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse --path-format=absolute
                                --git-path logs/HEAD
                        OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(NOT EXISTS "${changes}")
            set(changes)
        endif()
        set(source ${PROJECT_SOURCE_DIR})
    else()
        set(source ${CMAKE_CURRENT_BINARY_DIR}/none) # not that of a checkout around a tarball
    endif()
    add_custom_command(
        OUTPUT ${header} DEPENDS ${changes} ${PROJECT_SOURCE_DIR}/cmake/Commit.cmake
        COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DSOURCE=${source}
                -P ${PROJECT_SOURCE_DIR}/cmake/Commit.cmake VERBATIM)
endfunction()
