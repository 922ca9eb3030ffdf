/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_KURTOSIS_FLAGGER_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_KURTOSIS_FLAGGER_IMPL_H

#include "blocks/base/block_checks.h"
#include "blocks/compute/compute_block.h"
#include "blocks/rfi/held_windows.h"
#include "blocks/rfi/occupancy_port.h"
#include "blocks/rfi/shared_decisions.h"
#include "blocks/rfi/window_sums.h"
#include <gnuradio/fringe/kurtosis_flagger.h>

namespace gr::fringe {

/*!
 * Items go to the output as they come, on the CPU as copies made in the pass that adds them
 * up, on a device without a copy where no other block reads them. They are
 * produced when their window is decided on: what is flagged is zeroed in the output's ring,
 * which is long enough for two windows. Little besides moves, and the ring of the block
 * before stays short. On a device the next windows are added up while the sums of one that
 * has ended come back, and the ring has room for all of them and for the one that is read.
 */
class kurtosis_flagger_impl : public kurtosis_flagger, public compute_block
{
public:
    //! `p` is of the channels of part number `part` of those that are decided on together.
    kurtosis_flagger_impl(const kernels::kurtosis_params& p,
                          int clip,
                          std::shared_ptr<shared_decisions> decisions,
                          std::size_t part,
                          std::size_t window_items,
                          bool zero,
                          const kernels::compute_target& backend);

    bool start() override;
    bool stop() override;
    void forecast(int, gr_vector_int& required) override
    {
        required[0] = input_closed(*this) || d_windows.any_ended() ? 0 : 1;
    }
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override
    {
        return guard(*this, *d_logger, ninput_items, [&] {
            return hold_and_send(
                noutput_items, ninput_items[0], input_items[0], output_items);
        });
    }
    //! What is behind has the copies, and so the say.
    kernels::spectra_layout wanted_layout() const override
    {
        return d_on && d_p.in == kernels::component::i8
                   ? d_out[0].wanted_layout()
                   : kernels::spectra_layout::channel_major;
    }

    std::size_t window() const override { return d_window_items * d_p.block_spectra; }
    std::uint64_t spectra() const override { return d_decisions->occupancy().spectra(); }
    std::vector<std::uint64_t> flagged() const override
    {
        return d_decisions->occupancy().flagged();
    }
    std::map<std::string, std::vector<std::uint64_t>> cells() const override
    {
        return d_decisions->occupancy().cells();
    }

private:
    int hold_and_send(int space,
                      int available,
                      const void* in,
                      const gr_vector_void_star& out);
    void open();
    std::size_t item_bytes_in(kernels::spectra_layout layout) const override;
    void opened() override;
    bool hold_items(std::size_t space, std::size_t available, const void* in, char* out);
    void end_window()
    {
        d_windows.end();
        d_sums.end_window();
    }
    void send_window(const gr_vector_void_star& out);
    void zero_cells(const std::vector<std::uint8_t>& causes,
                    const std::vector<void*>& items);
    void publish(bool at_the_end)
    {
        if (const auto message = d_decisions->message(d_part, at_the_end)) {
            message_port_pub(occupancy_port(), message);
        }
    }

    const kernels::kurtosis_params d_p;
    const std::size_t d_cells, d_item_bytes;
    const std::size_t d_window_items;
    const bool d_zero;
    bool d_forget = false; // the sums of an earlier run are still there
    window_sums d_sums;
    const std::shared_ptr<shared_decisions> d_decisions;
    const std::size_t d_part;
    held_windows d_windows;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_KURTOSIS_FLAGGER_IMPL_H */
