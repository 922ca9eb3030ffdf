/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_FX_WORKER_H
#define INCLUDED_FRINGE_STAGES_FX_WORKER_H

#include "kernels/kurtosis/kurtosis.h"
#include "kernels/unpack/unpacker.h"
#include "kernels/xengine/xengine.h"
#include "stages/blanked_samples.h"
#include "stages/blanking_windows.h"
#include "stages/spectra_mask.h"
#include "stages/stretch.h"
#include <deque>
#include <functional>
#include <stdexcept>

namespace gr::fringe {

//! The samples of a block cannot be read: the data end before it.
class FRINGE_API damaged_block : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

//! What an fx_worker needs to know of the correlator.
struct FRINGE_API fx_worker_settings {
    kernels::backend backend = kernels::backend::cpu;
    kernels::unpacker_params u;
    kernels::channelizer_params f;
    kernels::xengine_params x;
    std::size_t mean_blocks = 0;        //!< see stretch_settings
    bool search = false;                //!< the powers of windows are added up
    std::optional<pulse_search> pulses; //!< that are blanked in the samples
    //! Reads the samples of a block that has no bytes; appends what is lost, by input.
    //! Several threads call it at a time. Throws damaged_block where the data end.
    std::function<void(const raw_block&, std::uint8_t*, std::vector<invalid_run>&)> read;

    //! Chooses the layout of spectra that suits the X-engine best.
    void choose_layout();
};

/*!
 * Takes stretches from raw samples to sums: unpack, F-engine and X-engine one after the
 * other, in pieces of a block, so that everything stays in one core's cache.
 *
 * A worker has kernels and memory of its own and is used by one thread at a time.
 */
class FRINGE_API fx_worker
{
public:
    //! Throws std::invalid_argument as the kernels do. FFTW's planner is for one thread at
    //! a time: make one worker after the other.
    fx_worker(const fx_worker_settings& settings, buffer_pool& buffers);

    //! The result does not depend on what the worker did before.
    stretch_sums run(const stretch& s);

private:
    struct piece;
    struct searched_block;
    void begin(const stretch& s, stretch_sums& out);
    void work_on(const stretch& s, stretch_sums& out);
    void end_early(stretch_sums& out);
    const std::uint8_t* raw_samples(const raw_block& block,
                                    std::vector<invalid_run>& invalid);
    void unpack(const raw_block& block, std::vector<invalid_run>& invalid);
    void add_to_mean(const raw_block& block, const std::vector<invalid_run>& invalid);
    void add_to_mean_unread(const raw_block& block);
    voltage_rows rows_of(const raw_block& block);
    void begin_samples(const stretch& s);
    void read_block(const raw_block& block,
                    bool counts,
                    std::vector<invalid_run>& invalid,
                    stretch_sums& out);
    void feed_blanker(const stretch& s, stretch_sums& out);
    void blanked_block(const stretch& s,
                       std::size_t b,
                       searched_block& now,
                       stretch_sums& out);
    void make_spectra(const stretch& s, const piece& p, stretch_sums& out);
    void use_corrections(const stretch& s, std::size_t spectrum);
    void add_powers(const stretch& s, const piece& p, stretch_sums& out);
    void end_window(stretch_sums& out);
    void multiply(const stretch& s, const piece& p, stretch_sums& out);
    void end_sum(stretch_sums& out);

    const fx_worker_settings d_settings;
    buffer_pool& d_buffers;
    const std::size_t d_inputs, d_points, d_sample_bytes;
    const std::size_t d_fill; //!< rows that the filter takes in before the first spectrum
    std::unique_ptr<kernels::unpacker> d_unpack;
    std::unique_ptr<kernels::channelizer> d_channelizer;
    std::unique_ptr<kernels::kurtosis> d_kurtosis; // null without a search
    std::unique_ptr<kernels::xengine> d_xengine;
    kernels::aligned_vector<std::uint8_t> d_raw, d_voltages, d_spectra;
    std::shared_ptr<const correction_factors> d_factors; // those of the channelizer
    std::optional<running_mean> d_mean;
    std::optional<blanking_windows> d_blanker;
    std::optional<blanked_parts> d_parts; // what blanked samples are of a spectrum

    // Of the stretch at hand; spectra are counted from the first that is made.
    std::vector<std::size_t> d_call_ends;     // spectra at which a call of F must end
    std::vector<std::size_t> d_window_ends;   // those that end the windows of the search
    std::vector<std::uint64_t> d_not_counted; // [input], components that were clipped
    std::size_t d_sum = 0;                    // the sum under way
    std::size_t d_in_sum = 0;                 // spectra in it
    std::size_t d_window = 0;                 // the window under way
    std::size_t d_fed = 0; // blocks that the blanker has been given: lead, blocks, after
    std::deque<std::vector<invalid_run>> d_fed_invalid; // of those that it holds
    std::optional<damaged_block> d_damaged;             // what ended them
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_FX_WORKER_H */
