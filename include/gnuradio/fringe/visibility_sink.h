/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_VISIBILITY_SINK_H
#define INCLUDED_FRINGE_VISIBILITY_SINK_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/observation.h>
#include <gnuradio/sync_block.h>
#include <string>

namespace gr {
namespace fringe {

/*!
 * \brief Writes dumps to a visibility file: MeasurementSet, UVH5, L-files or matrices.
 * \ingroup fringe
 *
 * \details
 * Input 0: visibilities, complex float32 [channel][baseline]; input 1 (optional):
 * weights, float32, same shape (without it every weight is 1). Tags read: rx_time,
 * interval, exposure, damaged (see integrator).
 *
 * The format is chosen by the ending of `path`: .ms (MeasurementSet), .uvh5, .LCCSPC
 * (L-files) or .ACC (plain matrices). The first two are phased to the observation's phase
 * centre, V_ij exp(-2 pi i f w_ij / c); the others hold V_ij as it is.
 *
 * Writing happens in a thread of its own. Until the flowgraph stops everything goes to
 * x.partial.ms (x.partial.ACC), readable up to the last whole dump; at the end it gets its
 * own name. When the data were damaged, the disk was full or writing failed, it keeps the
 * partial name and the log says why; what still comes is dropped, so that a flowgraph with
 * several sinks goes on. Nothing is overwritten unless asked for. A run that never got a
 * dump leaves no file.
 *
 * Throws std::invalid_argument for an unknown ending, a file that is there already, a
 * missing folder, an observation that does not fit.
 */
class FRINGE_API visibility_sink : virtual public gr::sync_block
{
public:
    typedef std::shared_ptr<visibility_sink> sptr;

    /*!
     * \param obs the observation: antennas, inputs, phase centre, frequency
     * \param path file to write
     * \param channels number of channels
     * \param complex_samples true when the voltages were complex (frequency axis)
     * \param channels_per_item channels in one item; 0 = fringe.channels_per_item()
     * \param overwrite replaces a file of that name
     * \param history one line for the file's history
     */
    static sptr make(const observation& obs,
                     const std::string& path,
                     std::size_t channels,
                     bool complex_samples = true,
                     std::size_t channels_per_item = 0,
                     bool overwrite = false,
                     const std::string& history = "");

    //! Dumps handed to the file so far.
    virtual std::uint64_t dumps() const = 0;
    //! Why the file is not whole, "" when it is (or may still become so).
    virtual std::string error() const = 0;
    //! The file as it stands on the disk now, "" when there is none.
    virtual std::string path() const = 0;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_VISIBILITY_SINK_H */
