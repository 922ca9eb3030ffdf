/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_MEMORY_PYTHON_H
#define INCLUDED_FRINGE_MEMORY_PYTHON_H

#include <pybind11/pybind11.h>

//! What a plan of a correlator's memory counts: a part of bind_devices().
void bind_memory(pybind11::module& m);

#endif /* INCLUDED_FRINGE_MEMORY_PYTHON_H */
