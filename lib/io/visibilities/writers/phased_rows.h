/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PHASED_ROWS_H
#define INCLUDED_FRINGE_IO_PHASED_ROWS_H

#include "array/geometry.h"
#include "io/visibilities/visibility_writer.h"
#include "io/visibilities/writers/baseline_layout.h"
#include "kernels/base/workers.h"
#include <array>
#include <complex>
#include <memory>
#include <vector>

namespace gr::fringe::io {

//! Which of the two ways to write a baseline down; both say the same.
enum class baseline_pairing {
    first_minus_second, //!< <v_1 conj(v_2)> with uvw_1 - uvw_2: MeasurementSet
    second_minus_first  //!< <conj(v_1) v_2> with uvw_2 - uvw_1: UVH5
};

/*!
 * The rows of one dump, a few at a time so that memory stays small, phased to one
 * direction.
 *
 * The correlator's V_ij = <x_i conj(x_j)> of unphased voltages has the phase
 * exp(+2 pi i f (r_i - r_j).s/c) for a source in direction s. With w along the phase
 * center and w_ij = w_i - w_j,
 *
 *     data = V_ij exp(-2 pi i f w_ij / c),    uvw = (u, v, w)_i - (u, v, w)_j in meters
 *
 * so that a source in the phase center has phase 0 and any other
 * exp(+2 pi i f (u l + v m + w (n - 1)) / c). In the other pairing the data are the
 * complex conjugates and uvw has the other sign, and that still holds.
 *
 * What was tracked in the F-engine (observation::tracking) has these phases already: only
 * what is left of them is applied, which is nothing for a direction among the stars whose
 * fringes were stopped, or a satellite.
 *
 * Where there is no valid sample the value and the weight are 0 and the flag is set; the
 * products of inputs known to be bad, and what the dump's own flags name, keep their
 * values and weights and are flagged.
 */
class FRINGE_API phased_rows
{
public:
    phased_rows(const visibility_file_params& params,
                const baseline_layout& layout,
                baseline_pairing pairing);

    //! Begins a dump, phased along the axes. Weights are its fractions of valid samples
    //! times `full_weight`.
    void begin(const array::uvw_axes& axes, double full_weight);
    //! What the dump's visibilities are multiplied by, [channel][antenna]: V_ij by that of
    //! i's antenna and the conjugate of that of j's.
    const std::vector<std::complex<float>>& phasors() const { return d_phasors; }
    //! Makes rows first ... first + count - 1 of the dump: data, weight and flag
    //! [row][channel][correlation], uvw [row][3].
    void make(const dump& d,
              std::size_t first,
              std::size_t count,
              std::complex<float>* data,
              float* weight,
              bool* flag,
              double* uvw) const;

private:
    std::vector<double> tracked_w() const;
    // The same of a task's rows, without uvw.
    void make_spectra(const dump& d,
                      std::size_t first,
                      std::size_t count,
                      std::complex<float>* data,
                      float* weight,
                      bool* flag) const;
    // This many channels are made at a time: a cache line of visibilities.
    static constexpr std::size_t together = 8;
    // What the visibilities of a row are multiplied by.
    struct turns {
        std::array<float, together> real, imag;
    };
    turns turns_of(const baseline_layout::row& row, std::size_t channel) const;
    // One correlation of a row in as many channels from `channel` on.
    void make_cells(const dump& d,
                    const baseline_layout::product& p,
                    const turns& t,
                    std::size_t channel,
                    std::complex<float>* data,
                    float* weight,
                    bool* flag) const;

    const baseline_layout& d_layout;
    const observation& d_observation;
    const bool d_follows; // what was tracked is the direction of the rows
    const std::vector<double> d_frequencies;
    const std::size_t d_products;
    const bool d_reversed;
    const std::size_t d_padded; // channels, up to a whole number of those made at a time
    double d_full_weight = 1;
    std::vector<array::vec3> d_antenna_uvw;
    std::vector<std::complex<float>> d_phasors; // [channel][antenna]
    std::vector<float> d_real, d_imag; // the same, [antenna][channel]: read side by side
    std::shared_ptr<kernels::workers> d_workers;
};

//! Hz between two channels.
double channel_width(const visibility_file_params& params);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PHASED_ROWS_H */
