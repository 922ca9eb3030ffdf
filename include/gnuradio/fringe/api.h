/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_API_H
#define INCLUDED_FRINGE_API_H

// Spelled out rather than taken from gnuradio/attributes.h: the array, kernel and file
// code is built without GNU Radio as well (FRINGE_KERNELS_ONLY).
#define FRINGE_API __attribute__((visibility("default")))

#endif /* INCLUDED_FRINGE_API_H */
