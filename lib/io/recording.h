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
    std::string encoding; //!< see encoding_by_name(); "" = the format's own
    //! A block is that many sub-blocks one after the other, with streams / parts streams
    //! each (the threads of VDIF, say); as if each were a file of its own.
    std::size_t parts = 1;
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

//! Why samples are no good.
enum class loss {
    missing, //!< never recorded: frames that were lost on the way
    invalid  //!< recorded, and marked bad by the recorder
};

//! A run of samples of one stream that must not be used; in the block they are zero.
struct lost_samples {
    std::size_t stream;
    std::uint64_t first; //!< from the start of the block
    std::uint64_t count;
    loss cause;
};

//! One recorded file, open for reading.
class FRINGE_API recording
{
public:
    virtual ~recording() = default;
    virtual const recording_info& info() const = 0;
    //! Copies samples first ... first + count - 1 of every stream, packed as the format's
    //! encoding says, to `out` (encoding.bytes(streams, count) bytes). first and count
    //! are multiples of format::granule. What is lost is appended to `lost` (when not
    //! null). Throws damaged_recording.
    virtual void read(std::uint64_t first,
                      std::size_t count,
                      std::uint8_t* out,
                      std::vector<lost_samples>* lost = nullptr) = 0;
    //! Has the system fetch these samples. True where all are there and none can be lost:
    //! what read() has left to do is to copy them, which it does for any number of threads
    //! at once.
    virtual bool begin_read(std::uint64_t, std::size_t) const { return false; }
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
    kernels::encoding encoding;   //!< bits = 0 when each file says its own
    std::vector<kernels::encoding> more_encodings{}; //!< those that its files may say
    //! Opens a file. Throws std::invalid_argument for a wrong use (unreadable, empty,
    //! streams not said), damaged_recording for a damaged file.
    std::unique_ptr<recording> (*open)(const std::string& path,
                                       const recording_hints&) = nullptr;
};

//! All formats, in the order of the table.
FRINGE_API const std::vector<const recording_format*>& formats();
//! By name; throws std::invalid_argument listing the names there are.
FRINGE_API const recording_format& format_by_name(const std::string& name);

//! An encoding by its name: a format's own, or one of those that files of formats with
//! several say. Throws std::invalid_argument listing the names there are.
FRINGE_API const kernels::encoding& encoding_by_name(const std::string& name);

//! The encoding of a file of a format.
FRINGE_API const kernels::encoding& encoding_of(const recording_format& format,
                                                const recording_info& info);

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_RECORDING_H */
