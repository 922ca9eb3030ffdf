/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_PEELING_H
#define INCLUDED_FRINGE_KERNELS_PEELING_H

#include "kernels/base/compute_target.h"
#include <array>
#include <complex>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <vector>

namespace gr::fringe::kernels {

//! A product of inputs that sees the sources: its number, and the antennas of its inputs.
struct peeling_row {
    std::uint32_t product = 0, first = 0, second = 0;
};

struct peeling_params {
    //! At most so many sources.
    static constexpr std::size_t max_sources = 4;

    std::size_t inputs = 0, channels = 0, antennas = 0, sources = 0;
    //! The products that are solved together: those of one polarization. No product is in two.
    std::vector<std::vector<peeling_row>> hands;
    //! First channel and number of channels of each solution, in order, without overlap.
    std::vector<std::array<std::size_t, 2>> groups;
    std::vector<double> frequencies; //!< Hz, [channel]
};

//! Where the sources of a dump are.
struct peeling_sky {
    //! m_ka, the phase with which the wave of source k comes to antenna a: its visibilities are
    //! those of m_ka conj(m_kb). [source][channel][antenna], 0 where it is not known.
    std::vector<std::complex<float>> turns;
    //! Length of each baseline across the sky, meters, [row], of all hands one after the other.
    std::vector<float> lengths;
    //! Wavelengths within which baselines count less, times the speed of light in m/s,
    //! [hand][group]: weights are multiplied by 1 - exp(-(length frequency / taper)^2 / 2).
    //! 0 = all count alike.
    std::vector<float> tapers;
    std::vector<std::uint8_t>
        left_out; //!< [channel]: not 0 = has no weight; may be empty
};

/*!
 * What the gains of one hand and one group of channels are solved from: sums over the channels
 * of each row, where w is the weight, times the taper, and 0 for outliers.
 */
struct peeling_sums {
    std::vector<std::complex<float>> data; //!< sum w V conj(M_k), [source k][row]
    //! sum w M_n conj(M_k), n <= k, [k (k + 1) / 2 + n][row]
    std::vector<std::complex<float>> models;
    std::vector<float> weights;     //!< sum w, [row]
    std::vector<float> all_weights; //!< the same with outliers, [row]
    float heaviest = 0;             //!< the largest w
    float level = 0;            //!< median amplitude of what is left, without outliers
    std::uint64_t cells = 0;    //!< that have weight
    std::uint64_t outliers = 0; //!< of these
};

/*!
 * The arithmetic on the visibilities of a dump when sources are taken out of it.
 *
 *     V_ab = sum_k g_ka conj(g_kb) M_kab + all the rest,  M_kab = m_ka conj(m_kb)
 *
 * The dump is held here from take() on; gains g of each antenna towards each source are solved by
 * the caller, from the sums that it asks for. Then subtract() writes the dump without the sources:
 * autocorrelations, products of two polarizations, and cells that have no weight or are no numbers,
 * stay as they are.
 *
 * Outliers are the cells of more than `clip` times the median amplitude of what is left when the
 * sources are subtracted, and all cells of a row more than half of which are outliers. Medians are
 * found among `level_bins`, to 1.6 %.
 *
 * On a device visibilities and weights are in the device's memory. What reads and writes these is
 * enqueued in the stream `compute`; sums are made in `background`, and are there when sums()
 * returns.
 */
class FRINGE_API peeling
{
public:
    virtual ~peeling() = default;
    //! A dump begins.
    virtual void begin(const peeling_sky& sky) = 0;
    //! Takes channels `first` to `first + count` of it, [channel][product]. weights: null = 1.
    virtual void take(std::size_t first,
                      std::size_t count,
                      const std::complex<float>* visibilities,
                      const float* weights) = 0;
    //! gains: [source][antenna].
    virtual peeling_sums sums(std::size_t hand,
                              std::size_t group,
                              const std::vector<std::complex<float>>& gains,
                              float clip) = 0;
    //! The gains that subtract() uses from now on: [group][hand][source][antenna].
    virtual void set_gains(const std::vector<std::complex<float>>& gains) = 0;
    //! Writes channels `first` to `first + count` of the dump. weights: those that came, 1 without
    //! any; null = not wanted.
    virtual void subtract(std::size_t first,
                          std::size_t count,
                          std::complex<float>* visibilities,
                          float* weights) = 0;
};

//! Throws std::invalid_argument naming the parameter.
FRINGE_API std::unique_ptr<peeling> make_peeling(const compute_target& which,
                                                 const peeling_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_PEELING_H */
