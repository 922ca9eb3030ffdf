/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_VISIBILITY_WRITER_H
#define INCLUDED_FRINGE_IO_VISIBILITY_WRITER_H

#include "array/satellite.h"
#include "io/durable/partial_path.h"
#include <complex>
#include <cstdint>
#include <gnuradio/fringe/observation.h>
#include <memory>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! One dump: the visibilities of one integration.
struct dump {
    epoch start;         //!< of the first spectrum
    double interval = 0; //!< seconds from the first spectrum to the end of the last
    double exposure = 0; //!< seconds of valid data in it
    std::vector<std::complex<float>> visibilities; //!< [channel][baseline]
    std::vector<float> weights; //!< [channel][baseline], fraction of valid samples
    //! [channel][baseline], causes as in gnuradio/fringe/flags.h; empty: nothing is
    //! flagged.
    std::vector<std::uint8_t> flags;
    //! Rows of the file's baseline_layout that this dump has, ascending; empty: all.
    std::vector<std::uint32_t> rows;
    //! A new file is asked for, which begins with this dump where files are dated, see
    //! rolling_writer.
    bool begins_file = false;
};

//! How baselines are averaged in time by their length, see averaging_writer.
struct time_averaging {
    double loss = 0;         //!< largest loss of amplitude, 0 ... 1; 0: no averaging
    double field_radius = 0; //!< degrees from the phase center for which it holds
    double longest = 60;     //!< seconds
};

//! What a visibility file is made with.
struct visibility_file_params {
    fringe::observation observation;
    std::size_t channels = 0;
    bool complex_samples = true; //!< for the frequency axis, see observation
    bool overwrite = false;
    std::string history; //!< lines for the file's history: the command, the recordings
    std::string products = "all"; //!< those in the dumps: all, autos or crosses
    time_averaging averaging;
    //! What the visibilities were tracked to, where that is no direction on the sky.
    std::shared_ptr<const array::satellite_track> satellite;
    double roll_seconds = 0; //!< a new file every so often, see rolling_writer; 0: never
};

/*!
 * A visibility file being written.
 *
 * Until finish() everything goes to `partial_path(path)`, whose name says that it is not
 * whole; it can be opened at any time, and when the process is killed at any instant it
 * holds every dump that saved() counts. finish() gives it its own name, when all of it is
 * on the disk. Nothing is ever overwritten unless asked for. Errors are
 * std::runtime_error with a sentence that names the file; one of them is lost_writes.
 */
class FRINGE_API visibility_writer
{
public:
    virtual ~visibility_writer() = default;
    virtual void write(const dump& d) = 0;
    //! Nothing came for a while: what write() put off is done now.
    virtual void idle() {}
    //! Dumps that a reader finds now, however this process ends.
    virtual std::uint64_t saved() const = 0;
    //! A line for the end of the history, before finish().
    virtual void note(const std::string& line) = 0;
    //! Everything was written: gives the file its own name.
    virtual void finish() = 0;
    //! Something went wrong: leaves what was written under the partial name, or nothing
    //! at all when no dump was written.
    virtual void abandon() = 0;
};

//! A file that is written in a thread of its own, see open_visibility_file().
class FRINGE_API visibility_files : public visibility_writer
{
public:
    //! What stands on the disk: whole files, then the partial one, in the order of time.
    virtual std::vector<std::string> files() const = 0;
    //! Where it is after abandon(), in words: "the first 3 dumps are in x.partial.ms".
    virtual std::string kept() const = 0;
    //! Dumps that wait to be written.
    struct queue {
        std::size_t bytes = 0, room = 0;
    };
    virtual queue waiting() const { return {}; }
};

//! Opens a file for writing; its format is chosen by the ending of `path`: see
//! visibility_formats.h.
//! Throws std::invalid_argument for an unknown ending, an existing file or a missing
//! folder.
FRINGE_API std::unique_ptr<visibility_files>
open_visibility_file(const std::string& path, const visibility_file_params&);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_VISIBILITY_WRITER_H */
