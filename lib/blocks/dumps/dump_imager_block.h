/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DUMP_IMAGER_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_DUMP_IMAGER_BLOCK_H

#include "blocks/base/guarded_block.h"
#include "blocks/compute/compute_output.h"
#include "blocks/compute/kernel_times.h"
#include "blocks/dumps/described_dump.h"
#include "blocks/dumps/dump_input.h"
#include "kernels/base/compute_target.h"
#include "kernels/gridder/dump_imager.h"
#include <atomic>
#include <functional>

namespace gr::fringe {

/*!
 * Images of dumps where these are: dumps of an integrator on a device stay there, and only
 * images come to the host.
 *
 * Input 0: visibilities, as the integrator sends them; input 1, which may be left out:
 * weights. Output: images, float32 [plane][group][m][l], with the tags rx_time, interval and
 * `image`, for each dump that has weight.
 *
 * What a dump shows of the sky, and the value of the tag, come from elsewhere, as they need
 * the observation; the block knows numbers only.
 */
class FRINGE_API dump_imager_block : public virtual gr::block,
                                     public guarded_block,
                                     public device_block,
                                     public timed_block
{
public:
    typedef std::shared_ptr<dump_imager_block> sptr;

    using geometry = std::function<kernels::dump_geometry(const described_dump&)>;
    //! The value of the tag `image`, JSON text.
    using description =
        std::function<std::string(const described_dump&, const kernels::dump_weights&)>;

    static sptr make(const kernels::dump_imager_params& p,
                     std::size_t channels_per_item,
                     const kernels::compute_target& where,
                     geometry place,
                     description describe);

    //! Returns the number of images so far.
    std::uint64_t images() const { return d_images; }
    //! Returns how many were not made, as all their visibilities were flagged.
    std::uint64_t empty() const { return d_empty; }

    std::shared_ptr<kernels::device> works_on(const gr::buffer&) const override
    {
        return d_on;
    }
    const kernel_times& times() const override { return d_times; }
    bool start() override;
    bool stop() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

    dump_imager_block(const kernels::dump_imager_params& p,
                      std::size_t channels_per_item,
                      const kernels::compute_target& where,
                      geometry place,
                      description describe);

private:
    int take_and_send(int space,
                      const gr_vector_int& available,
                      const gr_vector_const_void_star& in,
                      void* out);
    void open_ports();
    void take_item(const gr_vector_const_void_star& in);
    bool send(void* out);

    const std::shared_ptr<kernels::device> d_on;
    const kernels::dump_imager_params d_p;
    const std::size_t d_channels_per_item;
    const geometry d_place;
    const description d_describe;
    const std::unique_ptr<kernels::dump_imager> d_kernel;
    dump_input d_in;
    compute_output d_out;
    kernel_times d_times;
    bool d_open = false;
    std::size_t d_channel = 0; // that comes next
    described_dump d_dump;
    std::atomic<std::uint64_t> d_images{0}, d_empty{0};
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DUMP_IMAGER_BLOCK_H */
