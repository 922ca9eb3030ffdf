/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LIVE_RING_SINK_H
#define INCLUDED_FRINGE_BLOCKS_LIVE_RING_SINK_H

#include "blocks/base/guarded_block.h"
#include "blocks/live/ring_times.h"
#include "stages/item_ring.h"
#include <condition_variable>
#include <gnuradio/fringe/api.h>
#include <gnuradio/sync_block.h>
#include <memory>

namespace gr::fringe {

/*!
 * Puts the items of a stream into an item_ring, and their times and tags into ring_times.
 *
 * The dumps of a Voltage Ring are written by threads of Python. No Python runs here: a thread
 * that keeps Python's lock for long does not hold the stream up.
 */
class FRINGE_API ring_sink : public gr::sync_block, public guarded_block
{
public:
    //! What comes must be items of this kind.
    ring_sink(std::shared_ptr<item_ring> ring,
              std::shared_ptr<ring_times> times,
              const std::string& kind,
              stream_fields fields);

    //! A dump is being written from now on: the end of the stream waits for its end.
    void begin_dump();
    //! It has ended; what a message `dumped` says of it, null for none.
    void end_dump(const pmt::pmt_t& found);
    //! Dumps that are being written, and waiting for them.
    unsigned busy() const;
    void wait_for_dumps();
    //! Sends a message `dumped`.
    void publish(const pmt::pmt_t& found);

    //! The stream begins, or goes on after a change of the flowgraph.
    bool start() override;
    //! What dumps still wait for does not come.
    bool stop() override;
    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star&) override;

private:
    void add_times(std::uint64_t first, std::uint64_t count);

    const std::shared_ptr<item_ring> d_ring;
    const std::shared_ptr<ring_times> d_times;
    unsigned d_dumps = 0; // that are being written
    mutable std::mutex d_mutex;
    std::condition_variable d_written;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LIVE_RING_SINK_H */
