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

option(FRINGE_CUDA_EVERY_GPU "Machine code for every GPU from Turing on, as a package needs it" OFF)

# Machine code for the GPUs of this machine alone is made several times as fast as for all kinds.
function(fringe_architectures_here result)
    find_program(NVIDIA_SMI nvidia-smi)
    mark_as_advanced(NVIDIA_SMI)
    set(list "")
    if(NVIDIA_SMI)
        execute_process(
            COMMAND ${NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
            OUTPUT_VARIABLE capabilities ERROR_QUIET TIMEOUT 60)
        string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
        foreach(capability ${capabilities})
            string(REPLACE "." "" number ${capability})
            if(number GREATER_EQUAL 75)
                # The tensor-core kernels of Hopper are only in the code for 9.0a.
                string(REGEX REPLACE "^90$" "90a" number ${number})
                list(APPEND list ${number}-real)
            endif()
        endforeach()
        list(REMOVE_DUPLICATES list)
    endif()
    set(${result} "${list}" PARENT_SCOPE)
endfunction()

fringe_architectures_here(architectures_here)
if(DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(cuda_architectures ${CMAKE_CUDA_ARCHITECTURES})
elseif(FRINGE_CUDA_EVERY_GPU)
    # And PTX for what is to come.
    set(cuda_architectures 75-real 80-real 86-real 89-real 90a-real 100)
elseif(architectures_here)
    set(cuda_architectures ${architectures_here})
    message(STATUS "CUDA: for the GPU of this machine (${cuda_architectures}); "
                   "-DFRINGE_CUDA_EVERY_GPU=ON compiles for every kind")
else()
    # PTX, which the driver translates for the GPU when the library is first loaded.
    set(cuda_architectures 75-virtual)
    message(STATUS "CUDA: no GPU in this machine, so the kernels are compiled for any kind, not "
                   "the fastest for each; -DCMAKE_CUDA_ARCHITECTURES=90a-real makes them for "
                   "an H100 or H200, -DFRINGE_CUDA_EVERY_GPU=ON for every kind (takes long)")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-real) # for CMake's own tests of the compiler
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
# Asserts in a loop of tensor-core instructions make ptxas serialize them.
set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")
enable_language(CUDA)
set(CMAKE_CUDA_ARCHITECTURES ${cuda_architectures})
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
    message(WARNING "The CUDA backend needs CUDA 12.8 or later; ${CMAKE_CUDA_COMPILER} is "
                    "${CMAKE_CUDA_COMPILER_VERSION}. gr-fringe is built without it.")
    set(FRINGE_CUDA OFF)
endif()
