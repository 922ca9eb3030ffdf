/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_MS_ROWS_H
#define INCLUDED_FRINGE_IO_MS_ROWS_H

#include "io/visibilities/writers/phased_rows.h"
#include <casacore/casa/Arrays/Cube.h>
#include <casacore/casa/Arrays/Matrix.h>
#include <casacore/casa/Arrays/Vector.h>
#include <casacore/casa/BasicSL/Complex.h>

namespace gr::fringe::io {

/*!
 * Rows of a MeasurementSet's main table: DATA, FLAG and UVW as phased_rows makes them,
 *
 *     WEIGHT_SPECTRUM = (fraction of valid samples) x interval x channel width,
 *
 * the number of independent samples in the cell; WEIGHT is its mean over the channels and
 * SIGMA = 1 / sqrt(WEIGHT), 1 where there is no valid sample.
 */
class ms_rows
{
public:
    ms_rows(const visibility_file_params& params, const baseline_layout& layout);

    //! Begins a dump, phased along the axes.
    void begin(const dump& d, const array::uvw_axes& axes);
    //! Makes rows first ... first + count - 1 of the dump.
    void make(const dump& d, std::size_t first, std::size_t count);

    // Made by make(); the last axis is the row.
    casacore::Cube<casacore::Complex> data;
    casacore::Cube<float> weight_spectrum;
    casacore::Cube<bool> flag;
    casacore::Matrix<float> weight;
    casacore::Matrix<float> sigma;
    casacore::Matrix<double> uvw;
    casacore::Vector<bool> flag_row;

private:
    void summarize(std::size_t count);

    phased_rows d_rows;
    const std::size_t d_correlations;
    const std::size_t d_channels;
    const double d_channel_width;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_MS_ROWS_H */
