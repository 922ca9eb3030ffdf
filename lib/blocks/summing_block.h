/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SUMMING_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_SUMMING_BLOCK_H

#include "blocks/device_block.h"

namespace gr {
namespace fringe {

/*!
 * A block that takes many items, adds them up, and now and then sends the sum as one or
 * more items: the scheduling that X-engine and integrator share.
 *
 * While a sum is being sent nothing more is taken. At the end of the data the sum under
 * way is flushed. relative_rate stays 1, because a rate of N:1 would make the upstream
 * ring N items long.
 */
class summing_block : public device_block
{
public:
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

protected:
    //! For `on` and `to_host` see device_block.
    summing_block(std::shared_ptr<kernels::device> on, bool to_host);

    //! Takes input item number `item`, or as much of it as the sum under way may have;
    //! true when the item is used up.
    virtual bool take(const void* in, std::uint64_t item) = 0;
    //! No more data will come: finishes what is under way, and sets d_sending if that
    //! must be sent. Called again after it was.
    virtual void flush() = 0;
    //! Writes output item number `item` of the finished sum, one pointer a port; false
    //! when it was the last of the sum.
    virtual bool send(const gr_vector_void_star& out, std::uint64_t item) = 0;

    bool d_sending = false; //!< a sum is finished and being sent

private:
    int add_and_send(int space,
                     int available,
                     const void* in,
                     const gr_vector_void_star& ring);
    void send_item(const gr_vector_void_star& ring, int produced);
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_SUMMING_BLOCK_H */
