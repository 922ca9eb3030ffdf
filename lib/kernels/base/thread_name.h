/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_THREAD_NAME_H
#define INCLUDED_FRINGE_KERNELS_THREAD_NAME_H

#include <pthread.h>

namespace gr::fringe {

//! Names this thread for programs that show threads (top -H, the metrics): at most 15 letters.
inline void name_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_KERNELS_THREAD_NAME_H */
