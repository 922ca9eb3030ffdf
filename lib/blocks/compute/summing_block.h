/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_COMPUTE_SUMMING_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_COMPUTE_SUMMING_BLOCK_H

#include "blocks/compute/compute_block.h"
#include "blocks/ports/dump_tags.h"
#include <atomic>
#include <future>

namespace gr::fringe {

/*!
 * A block that takes many items, adds them up, and now and then sends the sum as one or
 * more items, each of some channels: the scheduling that X-engine and integrator share.
 *
 * While a sum is being sent nothing more is taken. At the end of the data the sum under
 * way is flushed. relative_rate is not what sums have of it, because a rate of N:1 makes the
 * upstream ring 2 N items long.
 *
 * Where items are copied from a device to the host, work() enqueues the copies and returns. A
 * thread waits for them and wakes this block, which produces the items then. The block must
 * not wait inside work(): after a call that produced nothing, as most calls of the block
 * before this one, GNU Radio lets that block go on only when this one has left work().
 */
class summing_block : public compute_block
{
public:
    bool start() override;
    bool stop() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

protected:
    //! For `on` and `to_host` see compute_block. A sum has `channels` channels, an item that
    //! is sent has `channels_per_item` of them.
    summing_block(std::shared_ptr<kernels::device> on,
                  bool to_host,
                  std::size_t channels,
                  std::size_t channels_per_item);

    //! Takes input item number `item`, or as much of it as the sum under way may have;
    //! true when the item is used up.
    virtual bool take(const void* in, std::uint64_t item) = 0;
    //! Items to wait for before the next call of take(): more than one where they are better
    //! taken together.
    virtual std::size_t items_wanted() const { return 1; }
    //! The items that were taken are about to be consumed, and written over.
    virtual void items_taken() {}
    //! No more data will come: finishes what is under way, and sets d_sending if that
    //! must be sent. Called again after it was.
    virtual void flush() = 0;
    //! Writes the tags of the finished sum: output item number `item` is its first.
    virtual void tag_sum(std::uint64_t item) = 0;
    //! Writes channels first ... first + count - 1 of the finished sum, one pointer a port.
    virtual void
    write_sum(std::size_t first, std::size_t count, const gr_vector_void_star& out) = 0;
    //! All of the finished sum was sent. True when another one is to be sent.
    virtual bool sum_sent() = 0;
    //! Adds the tags of a dump to an item of all outputs: for tag_sum().
    void add_dump_tags(std::uint64_t item, const dump_tags& dump);

    const std::size_t d_channels_per_item;
    bool d_sending = false; //!< a sum is finished and being sent

private:
    int add_and_send(int space,
                     int available,
                     const void* in,
                     const gr_vector_void_star& ring);
    void send_item(const gr_vector_void_star& ring, int produced);
    void finish_sum();
    bool copying() const;
    void begin_arrival(int items);
    int end_arrival();

    const std::size_t d_channels;
    std::size_t d_sent_channels = 0; // of the sum that is being sent
    int d_arriving = 0;              // items that are being copied to the host
    std::future<void> d_arrival;     // of these items
    std::atomic<bool> d_arrived{false};
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_COMPUTE_SUMMING_BLOCK_H */
