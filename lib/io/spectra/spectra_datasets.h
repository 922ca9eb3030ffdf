/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SPECTRA_DATASETS_H
#define INCLUDED_FRINGE_IO_SPECTRA_DATASETS_H

#include "io/durable/hdf5_output.h"
#include "io/spectra/spectra_facts.h"

namespace gr::fringe::io {

//! Short columns of a recording of spectra have chunks of so many rows.
constexpr std::uint64_t spectra_short_rows = 1024;

//! Of runs; the first spectra_whole_columns hold whole numbers.
constexpr std::size_t spectra_whole_columns = 2;
inline const char* const spectra_run_columns[] = {
    "runs/first", "runs/second", "runs/fraction", "runs/rate", "runs/frequency"};

//! Makes the datasets of a recording of spectra in an empty file, with their labels; those
//! that grow have no rows yet. `run` is the first one.
void make_spectra_datasets(hdf5_output& file,
                           const spectra_facts& facts,
                           const spectra_run& run);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SPECTRA_DATASETS_H */
