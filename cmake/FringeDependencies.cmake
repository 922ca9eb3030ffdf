# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later

# Each library as a target of one name, whatever way the distribution describes it.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

pkg_check_modules(FFTW REQUIRED IMPORTED_TARGET fftw3 fftw3f)
add_library(fringe-fftw INTERFACE)
foreach(precision fftw3 fftw3f)
    # For the thread-safe planner only; transforms run in one thread each.
    find_library(${precision}_THREADS_LIBRARY ${precision}_threads REQUIRED)
    target_link_libraries(fringe-fftw INTERFACE ${${precision}_THREADS_LIBRARY})
endforeach()
target_link_libraries(fringe-fftw INTERFACE PkgConfig::FFTW)
add_library(fringe::fftw ALIAS fringe-fftw)

pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
add_library(fringe::blas ALIAS PkgConfig::OPENBLAS)

pkg_check_modules(ERFA REQUIRED IMPORTED_TARGET erfa)
add_library(fringe::erfa ALIAS PkgConfig::ERFA)

pkg_check_modules(YAML_CPP REQUIRED IMPORTED_TARGET yaml-cpp)
add_library(fringe::yaml ALIAS PkgConfig::YAML_CPP)

find_package(Volk REQUIRED)

# Of Boost the core uses headers alone: statistical distributions, and a pool of threads.
find_package(Boost 1.66 REQUIRED)

find_package(nlohmann_json 3.7 REQUIRED)
add_library(fringe-json INTERFACE)
target_include_directories(
    fringe-json SYSTEM INTERFACE
    $<TARGET_PROPERTY:nlohmann_json::nlohmann_json,INTERFACE_INCLUDE_DIRECTORIES>)
add_library(fringe::json ALIAS fringe-json)

find_package(HDF5 REQUIRED COMPONENTS C HL)
add_library(fringe-hdf5 INTERFACE)
target_include_directories(fringe-hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(fringe-hdf5 INTERFACE ${HDF5_C_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
add_library(fringe::hdf5 ALIAS fringe-hdf5)

pkg_check_modules(CFITSIO REQUIRED IMPORTED_TARGET cfitsio)
add_library(fringe::cfitsio ALIAS PkgConfig::CFITSIO)

# casacore's own pkg-config file also names its Python library, which nothing here needs.
find_path(CASACORE_INCLUDE_DIR casacore/ms/MeasurementSets.h REQUIRED)
add_library(fringe-casacore INTERFACE)
target_include_directories(fringe-casacore SYSTEM INTERFACE ${CASACORE_INCLUDE_DIR})
foreach(part ms measures tables casa)
    find_library(CASACORE_${part}_LIBRARY casa_${part} REQUIRED)
    target_link_libraries(fringe-casacore INTERFACE ${CASACORE_${part}_LIBRARY})
endforeach()
add_library(fringe::casacore ALIAS fringe-casacore)
