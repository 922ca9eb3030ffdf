/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_RECORDING_SEEDS_H
#define INCLUDED_FRINGE_TESTS_RECORDING_SEEDS_H

#include "fuzzed_readers.h"

//! Small recordings of the formats that have headers.
namespace fuzzed {

bytes dada();
bytes guppi();
bytes wav();
bytes file_meta();
bytes sigmf_archive();
bytes vdif();
bytes mark5b();
bytes mwa32t();

} // namespace fuzzed

#endif /* INCLUDED_FRINGE_TESTS_RECORDING_SEEDS_H */
