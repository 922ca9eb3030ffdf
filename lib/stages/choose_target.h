/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_CHOOSE_TARGET_H
#define INCLUDED_FRINGE_STAGES_CHOOSE_TARGET_H

#include "kernels/base/compute_target.h"

namespace gr::fringe {

/*!
 * Makes a compute target from what a user wrote as `backend`:
 *  - "generic" and "cpu" are the kernels of the CPU;
 *  - "cuda:0", "cuda:1", ... is that GPU;
 *  - "cuda" is the first GPU that works;
 *  - "auto" is the same, or "cpu" where none works.
 *
 * Throws std::invalid_argument with a sentence for any other word, and for a GPU that is
 * not there or cannot be used.
 */
FRINGE_API kernels::compute_target choose_target(const std::string& word);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_CHOOSE_TARGET_H */
