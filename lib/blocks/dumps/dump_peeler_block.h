/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DUMP_PEELER_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_DUMP_PEELER_BLOCK_H

#include "blocks/base/guarded_block.h"
#include "blocks/compute/compute_output.h"
#include "blocks/compute/kernel_times.h"
#include "blocks/dumps/described_dump.h"
#include "blocks/dumps/dump_input.h"
#include "kernels/base/compute_target.h"
#include "kernels/peeling/peeling.h"
#include <deque>
#include <functional>

namespace gr::fringe {

/*!
 * Sources taken out of dumps where these are: dumps of an integrator on a device stay there.
 *
 * Input 0: visibilities, as the integrator sends them; input 1, which may be left out:
 * weights. Outputs: the same, with the tags of the dumps. Each dump is held until its gains have
 * been solved. What its sources are, and the gains, come from elsewhere: solving asks for
 * sums(), and what it says is sent at the message port `solutions`.
 */
class FRINGE_API dump_peeler_block : public virtual gr::block,
                                     public guarded_block,
                                     public device_block,
                                     public timed_block
{
public:
    typedef std::shared_ptr<dump_peeler_block> sptr;

    //! Gains [group][hand][source][antenna], and a message.
    struct solution {
        std::vector<std::complex<float>> gains;
        pmt::pmt_t message;
    };
    using geometry = std::function<kernels::peeling_sky(const described_dump&)>;
    //! It asks the block for sums().
    using solver = std::function<solution(const described_dump&, dump_peeler_block&)>;

    static sptr make(const kernels::peeling_params& p,
                     std::size_t channels_per_item,
                     const kernels::compute_target& where,
                     geometry place,
                     solver solve);

    //! Sums of the dump that is held, for the solver.
    kernels::peeling_sums sums(std::size_t hand,
                               std::size_t group,
                               const std::vector<std::complex<float>>& gains,
                               float clip);

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

    dump_peeler_block(const kernels::peeling_params& p,
                      std::size_t channels_per_item,
                      const kernels::compute_target& where,
                      geometry place,
                      solver solve);

private:
    int take_and_send(int space,
                      const gr_vector_int& available,
                      const gr_vector_const_void_star& in,
                      const gr_vector_void_star& out);
    void open_ports();
    //! All items of a dump were taken, and it is not solved yet.
    bool is_whole() const;
    void take_item(const gr_vector_const_void_star& in);
    void solve();
    void send_item(const gr_vector_void_star& out, std::size_t produced);

    const std::shared_ptr<kernels::device> d_on;
    const kernels::peeling_params d_p;
    const std::size_t d_channels_per_item;
    const geometry d_place;
    const solver d_solve;
    const std::unique_ptr<kernels::peeling> d_kernel;
    dump_input d_in;
    std::deque<compute_output> d_out;
    kernel_times d_times;
    bool d_open = false;
    bool d_sending = false;
    std::size_t d_channel = 0; // that comes next, or goes out
    described_dump d_dump;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DUMP_PEELER_BLOCK_H */
