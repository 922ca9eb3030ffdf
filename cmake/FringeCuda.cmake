# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later

# How the CUDA backend is compiled, where there is a compiler for it.
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
    set(cuda_found ON)
else()
    set(cuda_found OFF)
endif()
option(FRINGE_CUDA "Build the CUDA backend, a library of its own" ${cuda_found})
if(NOT FRINGE_CUDA)
    return()
endif()

if(DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(cuda_architectures ${CMAKE_CUDA_ARCHITECTURES})
else()
    # Machine code from Turing on, and PTX for what is to come.
    set(cuda_architectures 75-real 80-real 86-real 89-real 90a-real 100)
    set(CMAKE_CUDA_ARCHITECTURES 75-real) # for CMake's own tests of the compiler
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
# Asserts in a loop of tensor-core instructions make ptxas serialise them.
set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")
enable_language(CUDA)
set(CMAKE_CUDA_ARCHITECTURES ${cuda_architectures})
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
    message(WARNING "The CUDA backend needs CUDA 12.8 or later; ${CMAKE_CUDA_COMPILER} is "
                    "${CMAKE_CUDA_COMPILER_VERSION}. gr-fringe is built without it.")
    set(FRINGE_CUDA OFF)
endif()
