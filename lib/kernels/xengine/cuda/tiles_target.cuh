/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_TARGET_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_TARGET_CUH

// wgmma and setmaxnreg exist for sm_90a only; other code versions of the same kernels are
// empty and never run.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define FRINGE_HOPPER 1
#endif

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_TARGET_CUH */
