/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECORDING_H
#define INCLUDED_FRINGE_IO_RECORDING_H

#include "kernels/unpack/encoding.h"
#include <functional>
#include <gnuradio/fringe/epoch.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! What a recording says of itself; fields it does not know are left as they are here.
struct recording_info {
    std::string encoding; //!< see encoding_by_name(); "" = the format's own
    //! A block is that many sub-blocks one after the other, with streams / parts streams
    //! each (the threads of VDIF, say); as if each were a file of its own.
    std::size_t parts = 1;
    std::size_t streams = 0;   //!< streams (inputs) in the file
    std::uint64_t samples = 0; //!< samples of each stream
    std::size_t granule = 0; //!< samples are read in multiples of this; 0 = the format's
    double sample_rate = 0;  //!< Hz; 0 = not recorded
    double center_frequency = 0; //!< Hz; 0 = not recorded
    //! Bands that the recorder had split its band into, each at a frequency of its own:
    //! streams are [coarse channel][polarization].
    std::size_t coarse_channels = 1;
    bool inverted =
        false; //!< the spectrum is the sky's mirror image (negative bandwidth)
    bool has_start_time = false;
    epoch start_time;
    //! Seconds by which start_time may be off; 0 = it is exact to a sample.
    double start_within = 0;
    //! Headers that do not say the whole date: start_time is right but for multiples of so
    //! many seconds, and has_start_time is false. 0 = no such headers.
    std::uint64_t start_repeats = 0;
    //! Headers that count the samples since the recorder began, over all of its files: the number
    //! of the first sample.
    bool has_index = false;
    std::uint64_t index = 0;
    //! How many of `samples` the file, by its size, cannot hold: its headers leave room for
    //! more than it has bytes for. Samples of each stream, on average.
    std::uint64_t missing = 0;
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

//! Samples of a recording from one on, up to another.
struct sample_range {
    std::uint64_t begin, end;
    bool empty() const { return begin >= end; }
};

//! One recorded file, open for reading. It does not change while it is read.
class FRINGE_API recording
{
public:
    virtual ~recording() = default;
    virtual const recording_info& info() const = 0;
    //! Copies samples first ... first + count - 1 of every stream, packed as the format's
    //! encoding says, to `out` (encoding.bytes(streams, count) bytes). first and count
    //! are multiples of granule_of(format, info()). What is lost is appended to `lost` (when not
    //! null). Any number of threads may read at once, in any order; reading on from where
    //! some thread has ended is fastest. Throws damaged_recording.
    virtual void read(std::uint64_t first,
                      std::size_t count,
                      std::uint8_t* out,
                      std::vector<lost_samples>* lost = nullptr) const = 0;
    //! The same where the parts of a block lie `row_bytes` apart at `out`, of recordings
    //! that have several; false from those that cannot read so.
    virtual bool read_rows(std::uint64_t,
                           std::size_t,
                           std::uint8_t*,
                           std::size_t,
                           std::vector<lost_samples>&) const
    {
        return false;
    }
    //! The gap that a sample lies in: a run of samples around it, of which the file has none
    //! of any stream. Empty where it has the sample, or where the format cannot tell. A gap
    //! is the same from each of its samples.
    virtual sample_range gap_at(std::uint64_t) const { return {0, 0}; }
};

//! What a user says of a recording that does not describe itself.
struct recording_hints {
    static constexpr std::size_t all_channels = ~std::size_t(0);
    std::size_t streams = 0;                   //!< streams in this file; 0 = not given
    std::size_t coarse_channel = all_channels; //!< only this one is read
    //! Hz, of files that count frames and do not say how many a second has; 0 = not known
    double sample_rate = 0;
};

/*!
 * A named recording format. To add one: a file in lib/io/recordings/formats/ that defines it and a
 * line in the table of lib/io/recordings/formats.cc.
 */
struct recording_format {
    std::string name;
    std::string summary;          //!< one line for tables and --help
    bool self_describing = false; //!< the file tells its number of streams
    bool stream_major = false;    //!< blocks are [stream][time], not [time][stream]
    //! recording::read() reads multiples of this at most; recording_piece reads any samples.
    std::size_t granule = 1;
    bool high_bits_first =
        false;                  //!< of samples in one byte the first is in its high bits
    kernels::encoding encoding; //!< bits = 0 when each file says its own
    std::vector<kernels::encoding> more_encodings{}; //!< those that its files may say
    std::vector<std::string> endings{};              //!< of its files, beside its name
    //! Whether a file of that name, which begins with these bytes, is of this format (if
    //! it is a damaged one). Null where nothing tells.
    bool (*recognizes)(const std::string& path,
                       const std::vector<std::uint8_t>& start) = nullptr;
    bool has_coarse_channels = false; //!< its files may be split into them
    //! Opens a file. Throws std::invalid_argument for a wrong use (unreadable, empty,
    //! streams not given), damaged_recording for a damaged file.
    std::function<std::unique_ptr<recording>(const std::string& path,
                                             const recording_hints&)>
        open = nullptr;
};

//! All formats, in the order of the table.
FRINGE_API const std::vector<const recording_format*>& formats();
//! By name; throws std::invalid_argument listing the names there are. "guppi:3" reads the
//! coarse channel 3 of files of format guppi, and nothing else of them.
FRINGE_API const recording_format& format_by_name(const std::string& name);

//! An encoding by its name: a format's own, or one of those that files of formats with
//! several say. Throws std::invalid_argument listing the names there are.
FRINGE_API const kernels::encoding& encoding_by_name(const std::string& name);

//! What recording::read() reads in multiples of.
inline std::size_t granule_of(const recording_format& format, const recording_info& info)
{
    return info.granule > 0 ? info.granule : format.granule;
}

//! The encoding of a file of a format.
FRINGE_API const kernels::encoding& encoding_of(const recording_format& format,
                                                const recording_info& info);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_RECORDING_H */
