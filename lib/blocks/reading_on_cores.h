/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_READING_ON_CORES_H
#define INCLUDED_FRINGE_BLOCKS_READING_ON_CORES_H

#include "blocks/device_output.h"
#include "kernels/cores/cores.h"

namespace gr {
namespace fringe {

/*!
 * The output of a source whose items the host's cores may read themselves, right before they
 * unpack them: then samples go from the system's memory to a core's cache, and from nowhere
 * else.
 */
class reading_on_cores
{
public:
    reading_on_cores(gr::block& owner, std::size_t item_bytes)
        : d_owner(owner), d_bytes(item_bytes)
    {
    }

    //! Once the flowgraph runs. True if the cores take the items: all are to be put, and none
    //! belongs into the ring.
    bool open(gr::logger& log);
    //! Before the flowgraph goes away or changes. Returns when nothing is being read.
    void close();
    //! What writes an item.
    using filling = std::function<void(std::uint8_t* item)>;
    //! Puts what writes the one at a place in the ring. What it throws, who reads it gets.
    void put(void* host, filling fill);

private:
    gr::block& d_owner;
    const std::size_t d_bytes;
    std::shared_ptr<kernels::device> d_on;
    std::optional<device_output> d_out;
    std::unique_ptr<kernels::stage_work> d_work;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_READING_ON_CORES_H */
