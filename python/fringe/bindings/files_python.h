/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_FILES_PYTHON_H
#define INCLUDED_FRINGE_FILES_PYTHON_H

#include <pybind11/pybind11.h>

//! Files that are written, and those read that must not be lost.
void bind_files(pybind11::module& m);

#endif /* INCLUDED_FRINGE_FILES_PYTHON_H */
