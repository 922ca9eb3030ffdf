/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_BEAM_VOLTAGES_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_BEAM_VOLTAGES_IMPL_H

#include "blocks/beams/beam_forming.h"
#include "blocks/compute/per_item_block.h"

namespace gr::fringe {

//! The beamformer that sends voltages: items of spectra, with beams in place of inputs.
class beam_voltages_impl : public beamformer_base, public per_item_block
{
public:
    explicit beam_voltages_impl(const beam_setup& setup);
    bool start() override;
    kernels::spectra_layout wanted_layout() const override
    {
        return d_forming.wanted_layout();
    }

private:
    void opened() override { d_forming.set_layout(d_in.layout()); }
    bool compute_item(const void* in,
                      std::uint64_t item,
                      void* out,
                      std::uint64_t out_item) override;
    void tag_output(std::uint64_t item, const item_tags& tags);
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_BEAM_VOLTAGES_IMPL_H */
