/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_THREADS_H
#define INCLUDED_FRINGE_THREADS_H

#include <gnuradio/fringe/api.h>

namespace gr::fringe {

/*!
 * Threads that fx_engine and the kernels of other blocks on the CPU may keep busy at a time.
 * Holds for blocks made from now on. 0, as at the start: one per core that the process may
 * use. What fx_engine computes does not depend on it.
 *
 * Throws std::invalid_argument outside 0 ... 1024.
 */
FRINGE_API void set_threads(int count);

//! As set, or the number of cores.
FRINGE_API int threads();

//! Starts `count` threads that do nothing and ends them. Throws std::runtime_error where the
//! system does not give them: a flowgraph that is started in part cannot be ended, so this is
//! asked before.
FRINGE_API void check_threads(unsigned count);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_THREADS_H */
