/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_HOST_DEVICE_H
#define INCLUDED_FRINGE_KERNELS_HOST_DEVICE_H

//! Marks a function that runs on the host and in CUDA kernels alike.
#ifdef __CUDACC__
#define FRINGE_HOST_DEVICE __host__ __device__
#else
#define FRINGE_HOST_DEVICE
#endif

#endif /* INCLUDED_FRINGE_KERNELS_HOST_DEVICE_H */
