/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECORDING_TIMES_H
#define INCLUDED_FRINGE_IO_RECORDING_TIMES_H

#include "io/recordings/recording.h"
#include "io/recordings/sample_offset.h"

namespace gr::fringe::io {

//! What overrides the other where settings and the headers of recordings contradict each
//! other.
enum class preferred { neither, header, settings };
//! "", "header" or "settings"; throws std::invalid_argument for anything else.
FRINGE_API preferred preferred_by_name(const std::string& name);

//! What a user says of the times of files that are read as one recording.
struct time_settings {
    //! First sample to read: one for all files, counted from where the first of them
    //! begins; or one for each, counted in it, which are taken as simultaneous.
    std::vector<std::uint64_t> first{0};
    double sample_rate = 0; //!< Hz; 0 = as the headers say
    bool has_start_time = false;
    epoch start_time; //!< of sample 0 of the file that begins first
    preferred prefer = preferred::neither;
};

//! A file of the set.
struct timed_file {
    std::string path;
    recording_info info;
};

//! Whether a header says when a file begins, in the whole or but for multiples of a time.
inline bool has_clock(const recording_info& info)
{
    return info.has_start_time || info.start_repeats > 0;
}

//! Whether that is exact enough to tell which samples of several files belong together. (A
//! second in the name of a file is not.)
inline bool has_exact_clock(const recording_info& info)
{
    constexpr double exact = 1e-4; // s; computers' clocks agree so well
    return has_clock(info) && info.start_within <= exact;
}

/*!
 * Which samples of several files were taken at one time, by their headers and by what a user
 * says. The set begins where the first file begins and ends where the last one ends, so
 * that nothing that was recorded is left out; what a file lacks in between is missing. A
 * file that does not state its time begins with the set. Where none does, all begin
 * together, and the set ends with the shortest.
 *
 * Instants that are not a whole number of samples apart are rounded, which notes() says.
 */
class FRINGE_API recording_times
{
public:
    //! Throws std::invalid_argument (file or setting, value, what would be right) where
    //! headers contradict the settings or each other, for a file that no other overlaps,
    //! and for a start behind the end.
    recording_times(const std::vector<timed_file>& files, const time_settings& settings);

    //! Samples of every stream a second, in Hz; 0 where neither settings nor headers say it.
    double sample_rate() const { return d_rate; }
    //! Samples of every stream from the first that is read to the end.
    std::uint64_t samples() const { return d_samples; }
    //! The sample of a file that is read first; negative where the file begins later.
    std::int64_t first(std::size_t file) const { return d_places[file].first; }
    //! Samples in front of this one of a file are not read.
    std::uint64_t used_from(std::size_t file) const { return d_places[file].used_from; }
    //! How many of the first `samples` of the set a file spans.
    std::uint64_t spanned(std::size_t file, std::uint64_t samples) const;

    bool has_start_time() const { return d_has_start; }
    //! Of sample 0 of the file that begins first.
    const epoch& recording_start() const { return d_zero; }
    //! Of the first sample that is read.
    const epoch& start_time() const { return d_start; }

    //! Sentences on files that do not begin together, and on what went before what.
    const std::vector<std::string>& notes() const { return d_notes; }

private:
    struct place {
        bool timed = false;
        sample_offset begins; // from the beginning of the file that begins first
        std::int64_t first = 0;
        std::uint64_t used_from = 0;
    };

    std::uint64_t start_of(std::size_t file) const
    {
        return d_settings.first[d_settings.first.size() == 1 ? 0 : file];
    }
    bool starts_for_each() const { return d_settings.first.size() > 1; }
    void check_starts() const;
    void check_rates() const;
    void find_rate();
    void read_clocks();
    bool headers_place_files();
    void place_by_headers();
    void place_by_starts();
    void refuse_vague_clocks() const;
    void refuse_lone_files() const;
    void find_start_time();
    void say_offsets();

    const std::vector<timed_file> d_files;
    const time_settings d_settings;
    double d_rate = 0;
    bool d_timed = false;        // some file states its time
    std::size_t d_reference = 0; // the one of them that begins first
    std::vector<place> d_places;
    std::uint64_t d_samples = 0;
    std::int64_t d_skipped = 0; // samples from recording_start() to start_time()
    bool d_has_start = false;
    epoch d_zero, d_start;
    std::vector<std::string> d_notes;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_RECORDING_TIMES_H */
