/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_DUMP_AXES_H
#define INCLUDED_FRINGE_DUMP_AXES_H

#include <array>
#include <gnuradio/fringe/observation.h>

namespace gr::fringe {

//! What is kept of dumps; as it is made it keeps everything.
struct FRINGE_API dump_selection {
    std::size_t average = 1;       //!< channels that become one
    std::size_t first_channel = 0; //!< first channel that is kept
    std::size_t channels = 0;      //!< channels kept, before averaging; 0 = all there are
    double lowest = 0;  //!< Hz; channels whose middle lies below are left out; 0 = none
    double highest = 0; //!< Hz; channels whose middle lies above are left out; 0 = none
    std::string products = "all";     //!< all, autos (within one antenna) or crosses
    std::string polarization = "all"; //!< all; X Y R L; XX XY ... LL; or I Q U V
    bool keep_edge = false; //!< averages take in the channel of both edges of the band
    bool flag_dc = false;   //!< averages leave out the channel of what is constant
};

/*!
 * \brief What the channels and the baselines of a stream of dumps are.
 * \ingroup fringe
 *
 * \details
 * The dumps of `obs` with the given number of channels, after a selection:
 *
 *   - channels first_channel ... first_channel + channels - 1 (or those whose middles lie
 *     in lowest ... highest) are averaged in groups of `average`; the middle of a group
 *     is the mean of theirs. Where no number of channels is given, those at the upper
 *     end that do not fill a group are left out;
 *   - products: all; autos, of the inputs of one antenna with each other; or crosses, of
 *     two antennas;
 *   - polarization: X (or Y, R, L) keeps the products of those inputs, in the order (and
 *     with the numbers) that an observation of them alone would have. XY keeps
 *     <X_a conj(Y_b)> for antennas a <= b that have both. I, Q, U and V are made of the
 *     four products of antennas a <= b that have both polarizations, feeds as they stand:
 *
 *         I = (XX + YY) / 2   Q = (XX - YY) / 2   U = (XY + YX) / 2   V = (XY - YX) / 2i
 *         I = (RR + LL) / 2   Q = (RL + LR) / 2   U = (RL - LR) / 2i  V = (RR - LL) / 2
 *
 * reduced_observation() is the observation that a file of such dumps has: its inputs, and
 * the sample rate and center frequency whose band is the kept one. With n channels of
 * width w from the middle f_0 on,
 *
 *     complex samples:  rate = n w      center = f_0 + floor(n / 2) w
 *     real samples:     rate = 2 n w    center = f_0 + n w / 2
 *
 * which give the very frequencies of the kept channels, whatever the factor, and whatever
 * the sideband (channels ascend in sky frequency). It throws for XY ... and for Stokes
 * parameters, which files of antenna pairs do not hold by themselves; and for data of which
 * only the delays were tracked, where the middle of the band does not stay where it was.
 *
 * Throws std::invalid_argument: field, value, and what would be right.
 */
class FRINGE_API dump_axes
{
public:
    //! One or two products of the correlator that make one of the reduced ones:
    //! f_1 V_1 + f_2 V_2, where V may be conjugated.
    struct term {
        std::size_t product = 0;
        bool conjugate = false;
        std::complex<double> factor = 1;
    };

    dump_axes(const observation& obs,
              std::size_t channels,
              bool complex_samples = true,
              const dump_selection& keep = {});

    std::vector<double> frequencies; //!< Hz, middles of the channels, ascending
    std::vector<double> widths;      //!< Hz
    //! (i, j) of every product: numbers of inputs in `obs`; of antennas where a product is
    //! made for a pair of polarizations or is a Stokes parameter.
    std::vector<std::array<std::size_t, 2>> baselines;
    dump_selection selection; //!< with the channels as they were found

    std::size_t received_channels() const { return d_channels; }
    std::size_t received_products() const;
    bool complex_samples() const { return d_complex; }
    //! What each product is made of: one or two terms.
    const std::vector<std::vector<term>>& terms() const { return d_terms; }
    //! That of the dumps which come in.
    const observation& received_observation() const { return d_observation; }
    observation reduced_observation() const;
    //! Hz from the middle of the band that comes in to that of the kept one, the center
    //! frequency of reduced_observation().
    double center_shift() const;

private:
    double center() const;
    void select_channels();
    void select_inputs();
    void select_products();
    void keep(std::size_t i, std::size_t j, std::vector<term> of);
    void add_pair(std::size_t a, std::size_t b);
    bool of_pairs() const;

    observation d_observation;
    std::size_t d_channels;
    bool d_complex;
    std::vector<std::size_t> d_inputs; // kept, in ascending order
    std::vector<std::vector<term>> d_terms;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_DUMP_AXES_H */
