/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_THREADS_H
#define INCLUDED_FRINGE_THREADS_H

#include <gnuradio/fringe/api.h>

namespace gr {
namespace fringe {

/*!
 * Threads that unpackers, channelizers and X-engines on the CPU may keep busy at a time, all
 * of them together. Holds for blocks made from now on. 0, as at the start: one per core that
 * the process may use. What they compute does not depend on it, but for the rounding of
 * float32 sums: each thread has its own, which are added up.
 *
 * Throws std::invalid_argument outside 0 ... 1024.
 */
FRINGE_API void set_threads(int count);

//! As set, or the number of cores.
FRINGE_API int threads();

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_THREADS_H */
