/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_PAGE_TOUCHING_H
#define INCLUDED_FRINGE_KERNELS_PAGE_TOUCHING_H

#include <cstddef>

namespace gr::fringe::kernels {

//! Has the system give the pages of memory that was mapped, with several threads: one clears
//! 1 to 2 GB a second. What is in the memory stays. Where the system cannot do so beforehand
//! (Linux before 5.14), pages come when they are used.
void touch_pages(const void* memory, std::size_t bytes);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_PAGE_TOUCHING_H */
