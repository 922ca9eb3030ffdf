/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_VISIBILITY_SINK_H
#define INCLUDED_FRINGE_VISIBILITY_SINK_H

#include <cstdint>
#include <functional>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/observation.h>
#include <gnuradio/sync_block.h>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Writes dumps to a visibility file: MeasurementSet, UVH5, UVFITS, L-files or
 * matrices.
 * \ingroup fringe
 *
 * \details
 * Input 0: visibilities, complex float32 [channel][baseline]; input 1 (optional):
 * weights, float32, same shape (without it every weight is 1); input 2 (optional): flags,
 * uint8, same shape, causes as in flags.h (without it nothing is flagged but what has no
 * weight and what is of a bad input). Tags read: rx_time, interval, exposure, rx_freq,
 * channel_width, damaged (see integrator).
 *
 * The format is chosen by the ending of `path`: .ms (MeasurementSet), .uvh5, .uvfits,
 * .LCCSPC (L-files) or .ACC (plain matrices). The first three are phased to the
 * observation's phase center, V_ij exp(-2 pi i f w_ij / c); the others hold V_ij as it is,
 * and no flags.
 *
 * The channel that holds both edges of the band (the first one of an even number of
 * channels of complex samples) is flagged, unless `keep_edge` says not to; with `flag_dc`
 * so is the one of what is constant in the samples (the middle one; of real samples the
 * first). In .ACC and L-files, which have no flags, their values are 0, as those without
 * weight. Behind a visibility_reducer they are the ones that it has kept.
 *
 * With `roll_seconds` T a new file begins with every T seconds of absolute time: it holds
 * the dumps whose center lies in [k T, (k + 1) T) since 1970-01-01 UTC and is called by
 * its first dump, x_20260612_220000.ms. No dump is lost between two of them.
 *
 * Message port `control`: the symbol or string `new_file` begins a new file with the next dump
 * (with the next one that begins in another second than the file, where files are dated);
 * `stop` finishes the file when the next dump is there, which is not written, nor are those
 * after it; `start` writes again, from the next dump on, into a new file. A file that begins so
 * is x_2.ms, or dated. The log and the histories of the files say so.
 *
 * With a `smearing_loss` every baseline is averaged over 2^k dumps, k the largest for which
 * a source at `field_radius` from the phase center keeps 1 - smearing_loss of its
 * amplitude at the upper edge of the band:
 *
 *     sinc(r T) >= 1 - loss,   r = (f / c) w_E b_e 2 sin(field_radius / 2) turns a second
 *
 * w_E the earth's rotation, b_e the baseline's length in the plane of the equator. Each row
 * has its own TIME, INTERVAL, EXPOSURE and UVW. For .ms and .uvh5.
 *
 * Writing happens in a thread of its own. Until a file is whole it is called x.partial.ms
 * (x.partial.ACC), readable up to the last whole dump; then it gets its own name. When the
 * data were damaged, the disk was full or writing failed, or any block of the flowgraph
 * failed, it keeps the partial name, and
 * the log says why and how many dumps there are; what still comes is dropped, so that a flowgraph with
 * several sinks goes on. Nothing is overwritten unless asked for. A run that never got a
 * dump leaves no file. A flowgraph that is started again begins a file of its own with each
 * run: x.ms, then x_2.ms, x_3.ms, the first number that is free.
 *
 * The frequencies in the file are those of the observation. Dumps whose rx_freq or
 * channel_width (from rx_rate) say others, by more than a hundredth of a channel and by more
 * than 1e-6, end the flowgraph with a sentence that names both values. So do dumps without
 * `interval`. Data without time (rx_time) count from 1970 on; the log and the history of
 * the file say so, and also when data were dated by a computer's clock.
 *
 * Dumps whose tag `stream` says another number of inputs, channels, channels an item,
 * other products or another kind of samples end the flowgraph.
 *
 * Throws std::invalid_argument for an unknown ending, a file that is there already, a
 * missing folder, an observation that does not fit.
 */
class FRINGE_API visibility_sink : virtual public gr::sync_block
{
public:
    typedef std::shared_ptr<visibility_sink> sptr;

    /*!
     * \param obs the observation: antennas, inputs, phase center, frequency
     * \param path file to write
     * \param channels number of channels
     * \param complex_samples true when the voltages were complex (frequency axis)
     * \param channels_per_item channels in one item; 0 = fringe.channels_per_item()
     * \param overwrite replaces a file of that name
     * \param history lines for the file's history
     * \param roll_seconds a new file every so many seconds, whole ones; 0: one file
     * \param products those in the dumps: all, autos or crosses (see dump_axes)
     * \param smearing_loss loss of amplitude, 0 ... 1, up to which baselines are averaged
     *        in time; 0 = no averaging
     * \param field_radius degrees from the phase center for which that holds
     * \param longest_average seconds that no average is longer than
     * \param satellite the table of positions of what was tracked (see
     *        tracking::make_satellite), for .uvh5, whose phase center may move; .ACC and
     *        .LCCSPC hold V_ij as it was tracked; "": a direction
     * \param keep_edge does not flag the channel of both edges of the band
     * \param flag_dc flags the channel of what is constant in the samples
     */
    static sptr make(const observation& obs,
                     const std::string& path,
                     std::size_t channels,
                     bool complex_samples = true,
                     std::size_t channels_per_item = 0,
                     bool overwrite = false,
                     const std::string& history = "",
                     double roll_seconds = 0,
                     const std::string& products = "all",
                     double smearing_loss = 0,
                     double field_radius = 0,
                     double longest_average = 60,
                     const std::string& satellite = "",
                     bool keep_edge = false,
                     bool flag_dc = false);

    //! Dumps handed to the file so far.
    virtual std::uint64_t dumps() const = 0;
    //! Why the file is not whole, "" when it is (or may still become so). Once the
    //! flowgraph has stopped also what there is of it: "...; the first 3 dumps are in
    //! x.partial.ms".
    virtual std::string error() const = 0;
    //! The file as it stands on the disk now, the last one of several; "" when there is
    //! none.
    virtual std::string path() const = 0;
    //! All of them that stand on the disk now.
    virtual std::vector<std::string> files() const = 0;
    //! `words` is asked once, when the flowgraph stops, for lines that go to the end of the
    //! (last) file's history: what was lost on the way, say.
    virtual void set_last_words(std::function<std::string()> words) = 0;
    //! The dumps are not what they should be, for the reason `why`, which becomes error():
    //! the file does not get its name when the flowgraph stops. May be called by another
    //! thread, a source's say, until then.
    virtual void fail(const std::string& why) = 0;

    //! The next dump begins a new file, as the message `new_file` says. By any thread.
    virtual void begin_new_file() = 0;
    //! Whether the next dumps are written, as the messages `start` and `stop` say. By any thread.
    virtual void set_writing(bool writes) = 0;
    virtual bool writing() const = 0;
    //! Seconds since a dump came, written or not; negative where none has come.
    virtual double dump_age() const = 0;
    //! The end of the newest dump, UTC, seconds since 1970; 0 where none has come.
    virtual double dump_time() const = 0;
    //! Bytes of dumps that wait to be written, and how many may.
    virtual std::pair<std::uint64_t, std::uint64_t> fill() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_VISIBILITY_SINK_H */
