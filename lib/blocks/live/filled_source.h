/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LIVE_FILLED_SOURCE_H
#define INCLUDED_FRINGE_BLOCKS_LIVE_FILLED_SOURCE_H

#include <condition_variable>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <gnuradio/sync_block.h>
#include <mutex>
#include <random>
#include <vector>

namespace gr::fringe {

/*!
 * Sends items that lie in its buffer already, as a network card does: it fills the buffer twice,
 * and only says that there are more from then on. For benchmarks of live flowgraphs.
 *
 * Without keep_time() items come as fast as they are taken. With it each comes when it is due;
 * items for which the flowgraph has no room then are lost, and counted.
 */
class FRINGE_API filled_source : public gr::sync_block
{
public:
    //! What happened since clear(). Times are of the steady clock, in seconds.
    struct state {
        std::uint64_t items = 0; //!< sent, also before clear()
        std::uint64_t lost = 0;  //!< also before clear()
        double began = 0;        //!< when item 0 began; it is due when it has ended
        double late = 0;         //!< items that were due and not sent, at most
        double gap = 0;          //!< seconds between two calls of work(), at most
    };

    //! Items of raw samples at a rate of `sample_rate`, made of pieces of `some` in another
    //! order each time. The buffer has room for `ring` items, or a few more. With `rewrite`
    //! every item is written.
    filled_source(std::size_t item_bytes,
                  std::size_t ring,
                  double sample_rate,
                  std::vector<std::uint8_t> some,
                  std::size_t piece,
                  bool rewrite);

    //! From now on, or from the first call of work() on, so many items a second.
    void keep_time(double rate);
    //! No more items.
    void end();
    void clear();
    state now() const;

    int work(int noutput_items,
             gr_vector_const_void_star&,
             gr_vector_void_star& output_items) override;

private:
    std::uint64_t due(std::uint64_t room);
    void fill(std::uint8_t* item);
    void add_tags();

    const std::size_t d_item_bytes, d_ring, d_piece;
    const bool d_rewrite;
    const double d_sample_rate;
    const std::vector<std::uint8_t> d_some;
    std::vector<std::size_t> d_order;
    std::mt19937 d_random;
    double d_rate = 0, d_called = 0;
    bool d_ended = false;
    state d_state;
    mutable std::mutex d_mutex;
    std::condition_variable d_changed;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LIVE_FILLED_SOURCE_H */
