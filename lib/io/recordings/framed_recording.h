/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_FRAMED_RECORDING_H
#define INCLUDED_FRINGE_IO_FRAMED_RECORDING_H

#include "io/recordings/input_file.h"
#include "io/recordings/recording.h"
#include <atomic>
#include <deque>
#include <functional>
#include <mutex>

namespace gr::fringe::io {

//! What a frame's header says.
struct frame_header {
    std::uint64_t second = 0; //!< since 1970-01-01T00:00:00 UTC
    std::uint32_t number = 0; //!< of the frame within the second, from 0
    unsigned thread = 0;
    bool invalid = false; //!< marked bad by the recorder
};

//! How the frames of a file are made; all are alike.
struct frame_layout {
    std::size_t header_bytes = 0;
    std::size_t frame_bytes = 0;  //!< header and samples
    std::size_t channels = 1;     //!< streams of one thread
    std::string encoding;         //!< of the samples, [time][channel]
    std::uint64_t frame_rate = 0; //!< frames of a thread per second; 0 = not given
    std::string telescope;
    bool inverted = false; //!< lower sideband
    //! Reads a header; false where none is.
    std::function<bool(const std::uint8_t*, frame_header&)> parse;
};

/*!
 * A file of frames of one length, each with a header that gives its time and its thread
 * (VLBI recorders). Frames may be missing, and those of several threads lie in any order:
 * by turns, or as many of one thread after the other as they do at the file's start.
 * Frames of one thread lie in the order of their times but for a few: files that were
 * joined in the wrong order are refused. Every frame is put in its place in time by its
 * header alone; where no header is when one is due, the next one is looked for.
 *
 * A raw block is one part per thread, in the order of the thread numbers, each
 * [time][channel]. Nothing of the file is kept in memory: the place of a time is found by
 * bisection, or from the places where readers have ended.
 */
class FRINGE_API framed_recording : public recording
{
public:
    //! Throws damaged_recording when not one frame is there, std::invalid_argument when
    //! the streams are not those given.
    framed_recording(const std::string& path,
                     const recording_hints& hints,
                     const frame_layout& layout);

    const recording_info& info() const override { return d_info; }
    std::size_t threads() const { return d_threads.size(); }
    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>* lost) const override;
    bool read_rows(std::uint64_t first,
                   std::size_t count,
                   std::uint8_t* out,
                   std::size_t row_bytes,
                   std::vector<lost_samples>& lost) const override;
    sample_range gap_at(std::uint64_t sample) const override;

    //! Samples can be read in multiples of this: whole bytes at any width. Where a sample of
    //! a thread is of whole bytes (info().granule is 1), any can.
    static constexpr std::size_t granule = 8;

private:
    friend class framed_block;
    friend class frames_in_order;
    struct placed_frame {
        std::uint64_t offset;
        frame_header header;
    };
    // Frames from number `frame` on lie from `offset` on.
    struct known_place {
        std::uint64_t frame, offset;
    };

    bool find_frame(std::uint64_t& offset,
                    frame_header& header,
                    std::uint64_t search_from) const;
    std::vector<placed_frame> frames_from(std::uint64_t offset, std::size_t count) const;
    std::vector<placed_frame> last_frames(std::size_t count) const;
    std::uint64_t first_where(const std::function<bool(const frame_header&)>& is) const;
    void refuse_joined(const std::vector<placed_frame>& frames) const;
    void refuse_joined_within() const;
    [[noreturn]] void say_joined(const placed_frame& before,
                                 const placed_frame& after) const;
    void find_disorder(std::vector<placed_frame> frames);
    void find_turns();
    void find_threads(const std::vector<placed_frame>& frames);
    void find_rate(const std::vector<placed_frame>& start,
                   const std::vector<placed_frame>& end);
    void find_extent(const std::vector<placed_frame>& start,
                     const std::vector<placed_frame>& end);
    void refuse_ending_before_start(const std::vector<placed_frame>& end) const;
    void describe(const recording_hints& hints);
    std::int64_t index(const frame_header& header) const;
    std::size_t samples_at(std::uint64_t offset) const;
    std::uint64_t offset_for(std::uint64_t frame) const;
    known_place known_before(std::uint64_t frame) const;
    void remember(const known_place& p) const;
    // Bytes by which frames may be out of order.
    std::uint64_t out_of_order() const { return max_late() * d_layout.frame_bytes; }
    // Frames of other times that may come before one that is due.
    std::uint64_t max_late() const { return d_disorder + 2 * (d_threads.size() + 1); }

    input_file d_file;
    const frame_layout d_layout;
    std::size_t d_sample_bits = 0;   // of all channels of a thread
    std::size_t d_frame_samples = 0; // of a whole frame
    recording_info d_info;
    std::vector<unsigned> d_threads; // their numbers, ascending
    // Which of d_threads each of the first frames is of, where they are one of each and of
    // one time: other frames mostly lie so, too. Otherwise empty.
    std::vector<std::size_t> d_turns;
    std::uint64_t d_disorder = 0; // frames by which one may be out of order
    std::uint64_t d_rate = 0;     // frames of a thread per second; 0 = not known
    bool d_rate_is_sure = true;
    frame_header d_start;
    mutable std::mutex d_places_mutex;
    mutable std::deque<known_place> d_places; // where readers have ended
    mutable std::atomic<unsigned> d_out_of_turn{
        0}; // reads in a row that found other frames
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_FRAMED_RECORDING_H */
