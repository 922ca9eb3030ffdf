/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TRACKING_H
#define INCLUDED_FRINGE_TRACKING_H

#include <cstddef>
#include <gnuradio/fringe/observation.h>
#include <memory>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Where an F-engine looks: the delay of every input through time.
 * \ingroup fringe
 *
 * \details
 *     D_i(t) = sign (D_a(t) + cable_i)
 *
 * D_a is by how much later antenna a of input i hears what the first antenna hears at t
 * (array::delay_model, docs/conventions.md), cable_i its cable delay. A channelizer with a
 * tracking takes D_i out of every spectrum, so that a source in the phase center has phase
 * 0 on every baseline, in every channel, all the time; cable delays are then no matter of
 * `corrections` any more.
 *
 * The delays come from polynomials of degree 6 that are renewed as time goes on; they miss
 * the model by less than 1e-14 s.
 */
class FRINGE_API tracking
{
public:
    typedef std::shared_ptr<tracking> sptr;

    /*!
     * \param obs antennas, inputs, sample rate, and the phase center to look at
     * \param fringe_stopping false: only the delay is taken out; the fringes go on turning
     *        with the middle of the band, as a class wants to see them
     * \param sign 1, or -1 for recordings that need delays of the other sign
     * \param same_instant the delay of each antenna at the instant t itself, tau_a(t) in
     *        place of D_a(t): for spectra that are not shifted by the delay, those of which
     *        a beam is formed say
     *
     * Throws std::invalid_argument when the observation has no antennas, no sample rate,
     * or a phase center in right ascension and declination but no site.
     */
    static sptr make(const observation& obs,
                     bool fringe_stopping = true,
                     int sign = 1,
                     bool same_instant = false);

    //! The same for an Earth satellite: the path of a table of its positions, see
    //! docs/observation.md.
    static sptr make_satellite(const observation& obs,
                               const std::string& path,
                               bool fringe_stopping = true,
                               int sign = 1,
                               bool same_instant = false);

    virtual ~tracking() = default;

    virtual std::size_t inputs() const = 0;
    //! Samples per second that the delays are meant for.
    virtual double sample_rate() const = 0;
    //! Sky frequency of the middle of the band, Hz, where the data do not say another.
    virtual double frequency() const = 0;
    //! Seconds; no delay is ever longer, either way.
    virtual double longest() const = 0;
    virtual bool fringe_stopping() const = 0;
    //! Writes the delays at `count` instants from `first` on, `step` seconds apart, to `out`
    //! [input][count].
    virtual void
    delays(const epoch& first, double step, std::size_t count, double* out) = 0;
    //! The same as a vector.
    std::vector<double> delays(const epoch& first, double step, std::size_t count)
    {
        std::vector<double> out(inputs() * count);
        delays(first, step, count, out.data());
        return out;
    }
    //! Sentences for the user about delays at an instant; often none.
    virtual std::vector<std::string> warnings(const epoch& t) const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_TRACKING_H */
