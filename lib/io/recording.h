/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECORDING_H
#define INCLUDED_FRINGE_IO_RECORDING_H

#include "kernels/unpack/encoding.h"
#include <gnuradio/fringe/epoch.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gr {
namespace fringe {
namespace io {

//! What a recording says of itself; fields it does not know are left as they are here.
struct recording_info {
    std::size_t streams = 0;     //!< streams (inputs) in the file
    std::uint64_t samples = 0;   //!< samples of each stream
    double sample_rate = 0;      //!< Hz; 0 = not recorded
    double center_frequency = 0; //!< Hz; 0 = not recorded
    bool has_start_time = false;
    epoch start_time;
    std::string telescope;
    std::string remarks; //!< one line for a person
};

//! A damaged file: the sentence names the file, the offset and what was expected there.
class FRINGE_API damaged_recording : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

//! One recorded file, open for reading.
class FRINGE_API recording
{
public:
    virtual ~recording() = default;
    virtual const recording_info& info() const = 0;
    //! Copies samples first ... first + count - 1 of every stream, packed as the format's
    //! encoding says, to `out` (encoding.bytes(streams, count) bytes). first and count
    //! are multiples of format::granule. Throws damaged_recording.
    virtual void read(std::uint64_t first, std::size_t count, std::uint8_t* out) = 0;
};

//! What a user says of a recording that does not describe itself.
struct recording_hints {
    std::size_t streams = 0; //!< streams in this file; 0 = not said
};

/*!
 * A named recording format. To add one: a file in lib/io/formats/ that defines it and a
 * line in the table of lib/io/formats.cc.
 */
struct recording_format {
    std::string name;
    std::string summary;          //!< one line for tables and --help
    bool self_describing = false; //!< the file tells its number of streams
    bool stream_major = false;    //!< blocks are [stream][time], not [time][stream]
    std::size_t granule = 1;      //!< samples can be read in multiples of this
    kernels::encoding encoding;
    //! Opens a file. Throws std::invalid_argument for a wrong use (unreadable, empty,
    //! streams not said), damaged_recording for a damaged file.
    std::unique_ptr<recording> (*open)(const std::string& path,
                                       const recording_hints&) = nullptr;
};

//! All formats, in the order of the table.
FRINGE_API const std::vector<const recording_format*>& formats();
//! By name; throws std::invalid_argument listing the names there are.
FRINGE_API const recording_format& format_by_name(const std::string& name);

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_RECORDING_H */
