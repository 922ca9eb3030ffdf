/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_FX_ENGINE_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_FX_ENGINE_IMPL_H

#include "blocks/base/guarded_block.h"
#include "blocks/base/running_block.h"
#include "blocks/stages/finished_sums.h"
#include "blocks/stages/raw_input.h"
#include "blocks/stages/recorded_input.h"
#include "blocks/stages/sum_cutter.h"
#include "stages/fx_workers.h"
#include "stages/items_in_place.h"
#include "stages/stretch_plan.h"
#include <gnuradio/fringe/fx_engine.h>

namespace gr::fringe {

class fx_engine_impl : public fx_engine, public guarded_block, public sum_cutter
{
public:
    fx_engine_impl(const fx_worker_settings& settings,
                   const stretch_settings& plan,
                   const std::optional<kurtosis_search>& flag,
                   std::size_t channels_per_item,
                   const file_source::sptr& recording,
                   unsigned threads);

    void set_integration(double seconds, std::uint64_t spectra) override
    {
        cut_for(stretch_plan::of_settings, seconds, spectra);
    }
    std::optional<epoch>
    cut_for(long integrator, double seconds, std::uint64_t spectra) override;
    void set_corrections(const std::vector<std::complex<float>>& corrections,
                         const epoch& from) override;
    std::pair<std::int64_t, std::int64_t> recorded_dumps() override;
    std::int64_t dumps_together() override;
    void select_dumps(std::int64_t first, std::int64_t end) override;
    loss_counter::counts losses() const override { return d_raw.losses(); }
    std::vector<std::uint64_t> saturated() const override
    {
        std::lock_guard<std::mutex> lock(d_counts_mutex);
        return d_clipped;
    }
    std::uint64_t searched() const override
    {
        const auto* occupancy = d_finished.occupancy();
        return occupancy ? occupancy->spectra() : 0;
    }
    std::vector<std::uint64_t> flagged() const override
    {
        const auto* occupancy = d_finished.occupancy();
        return occupancy ? occupancy->flagged() : std::vector<std::uint64_t>();
    }
    std::map<std::string, std::vector<std::uint64_t>> cells() const override
    {
        const auto* occupancy = d_finished.occupancy();
        return occupancy ? occupancy->cells()
                         : std::map<std::string, std::vector<std::uint64_t>>();
    }

    bool start() override;
    bool stop() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    void forget_integrators();
    //! Items of the input, from the oldest that was not consumed on.
    struct raw_items {
        const std::uint8_t* first;
        std::size_t count;
    };
    int work_on(int space, raw_items in, void* out);
    void choose_place();
    void consume_used(raw_items& in);
    bool take_item(const raw_items& in);
    void plan_item(const std::uint8_t* in, std::uint64_t item);
    void keep_items();
    void collect(stretch_sums done);
    loss_counter::counts counts() const;
    void end_damaged(const std::string& sentence);
    void skip_gap();
    bool plan_recorded();
    void begin_recorded();
    fx_worker_settings reading(fx_worker_settings s);
    bool ended(std::size_t available) const;
    void finish_data();
    void wake();

    const fx_worker_settings d_settings;
    const std::unique_ptr<recorded_input>
        d_recorded; // null: samples come through the port
    const std::size_t d_item_bytes, d_max_tasks;
    const std::size_t d_items_in_work; // of all stretches that are worked on, or gathered
    stretch_plan d_plan;
    bool d_recorded_begun = false; // the plan knows when the recording begins
    raw_input d_raw;
    bool d_data_ended = false;
    running_block d_scheduler;   // of this run; the pool's threads wake it
    std::exception_ptr d_failed; // what ended the data

    buffer_pool d_blocks;
    items_in_place d_taken;
    std::size_t d_room = 0; // items that may be used where they lie; 0: they are copied
    finished_sums d_finished;

    mutable std::mutex d_counts_mutex;
    std::vector<std::uint64_t> d_saturated, d_blanked, d_clipped; // [input]
    fx_workers d_workers; // the last: its threads end before anything else does
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_FX_ENGINE_IMPL_H */
