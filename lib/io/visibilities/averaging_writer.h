/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_AVERAGING_WRITER_H
#define INCLUDED_FRINGE_IO_AVERAGING_WRITER_H

#include "io/visibilities/writers/phased_rows.h"
#include <deque>

namespace gr::fringe::io {

/*!
 * Averages every baseline for as long as its length allows, in front of a file of antenna
 * pairs.
 *
 * A pair is averaged over 2^k dumps, k the largest for which a source at `field_radius`
 * from the phase center loses at most `loss` of its amplitude at the upper edge of the
 * band (array/time_smearing.h), and which are not longer than `longest`. The file gets
 * dumps that hold only the pairs whose time has come, each with its own start, interval
 * and exposure. A gap, a longer dump and the end of the data end all averages.
 *
 * What is averaged is phased to the phase center as each dump's middle has it, and turned
 * back to where the phase center is at the middle of the average, which is what the file
 * takes out:
 *
 *     V = sum w tau V_n exp(-2 pi i f (w_n - w) / c) / sum w tau,
 *     weight = sum w tau / interval
 *
 * w the weights, tau the dumps' intervals, w_n and w the baseline's component towards the
 * phase center. Flagged cells are left out; where nothing is left the flags are all of
 * theirs.
 */
class averaging_writer : public visibility_writer
{
public:
    //! Throws std::invalid_argument for a loss, radius or time that makes no sense.
    averaging_writer(const std::string& path,
                     const visibility_file_params& params,
                     std::unique_ptr<visibility_writer> file);

    void write(const dump& d) override;
    void idle() override { d_file->idle(); }
    std::uint64_t saved() const override;
    void note(const std::string& line) override { d_file->note(line); }
    void finish() override;
    void abandon() override;

private:
    // The pairs that are averaged over 2^k dumps, and the average under way.
    struct level {
        std::vector<std::uint32_t> rows;
        std::vector<std::uint32_t> products;
        epoch start;
        double exposure = 0;
        std::size_t dumps = 0;
    };

    void plan(double interval);
    void find_turns(const epoch& center);
    std::complex<float> turn(std::size_t channel, std::uint32_t product) const;
    void add(const dump& d, level& to);
    void send(level& done);
    void send_all();

    const visibility_file_params d_params;
    const baseline_layout d_layout;
    const std::unique_ptr<visibility_writer> d_file;
    phased_rows d_rows; // what the file multiplies by
    const std::vector<double> d_frequencies;
    std::vector<std::array<std::size_t, 2>> d_antennas; // [product]
    bool d_has_center = false;
    std::array<double, 2> d_radec{};

    double d_interval = 0; // of the dumps that the levels are made for
    std::vector<level> d_levels;
    std::uint64_t d_count = 0;              // dumps since all averages began
    epoch d_end;                            // of the last dump
    std::vector<std::complex<float>> d_sum; // [channel][product]
    std::vector<float> d_weight;
    std::vector<std::uint8_t> d_causes;
    dump d_out;

    std::uint64_t d_taken = 0; // dumps
    std::uint64_t d_sent = 0;  // parts of dumps
    // (d_taken, d_sent) when nothing was under way.
    std::deque<std::pair<std::uint64_t, std::uint64_t>> d_whole;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_AVERAGING_WRITER_H */
