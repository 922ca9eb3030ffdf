/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_MS_ROWS_H
#define INCLUDED_FRINGE_IO_MS_ROWS_H

#include "array/geometry.h"
#include "io/visibility_writer.h"
#include "io/writers/ms_layout.h"
#include <casacore/casa/Arrays/Cube.h>
#include <casacore/casa/Arrays/Matrix.h>
#include <casacore/casa/Arrays/Vector.h>
#include <casacore/casa/BasicSL/Complex.h>

namespace gr {
namespace fringe {
namespace io {

/*!
 * The rows of one dump, made a few at a time so that memory stays small.
 *
 * The correlator's V_ij = <x_i conj(x_j)> of unphased voltages has the phase
 * exp(+2 pi i f (r_i - r_j).s/c) for a source in direction s. With w along the phase
 * centre and w_ij = w_i - w_j,
 *
 *     DATA = V_ij exp(-2 pi i f w_ij / c),    UVW = (u, v, w)_i - (u, v, w)_j in metres
 *
 * so that a source in the phase centre has phase 0.
 *
 *     WEIGHT_SPECTRUM = (fraction of valid samples) x interval x channel width,
 *
 * the number of independent samples in the cell; WEIGHT is its mean over the channels and
 * SIGMA = 1 / sqrt(WEIGHT). Where there is no valid sample the value is 0, the weight 0,
 * SIGMA 1 and FLAG true; the products of inputs known to be bad keep their values and
 * weights and are flagged.
 */
class ms_rows
{
public:
    ms_rows(const visibility_file_params& params, const ms_layout& layout);

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
    const ms_layout& d_layout;
    const observation& d_observation;
    const std::vector<double> d_frequencies;
    const std::size_t d_products;
    double d_channel_width;
    double d_samples = 0; // in a cell of weight 1
    std::vector<array::vec3> d_antenna_uvw;
    std::vector<std::complex<float>> d_phasors; // [channel][antenna]
};

//! Hz between two channels.
double channel_width(const visibility_file_params& params);

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_MS_ROWS_H */
