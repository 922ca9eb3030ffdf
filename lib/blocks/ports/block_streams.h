/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_BLOCK_STREAMS_H
#define INCLUDED_FRINGE_BLOCKS_BLOCK_STREAMS_H

#include "blocks/ports/stream_description.h"
#include <gnuradio/block.h>
#include <map>

namespace gr::fringe {

/*!
 * What the streams of a block are: what the block expects at its inputs, and what it sends.
 *
 * The first item of every output carries the tag `stream`, which blocks of GNU Radio that
 * stand between two of ours pass on. A block that finds another description there than it
 * expects throws stream_mismatch. A stream without the tag is taken as it comes.
 */
class block_streams
{
public:
    //! An input port takes items of this kind only. Fields that the sender does not state
    //! are not compared.
    void expect(std::size_t port, const std::string& kind, stream_fields fields);
    //! An output port sends items of this kind. What is known of the samples themselves
    //! (see passed_on()) is added from input 0.
    void send(std::size_t port, const std::string& kind, stream_fields fields);
    //! A field of all outputs that is known only when the data begin; before open().
    void add(const stream_field& field);

    //! The flowgraph starts: outputs are described once more.
    void restart();
    //! In every call of work, before items are used: checks the descriptions among the
    //! first `available[port]` items of each input, and describes the outputs once the
    //! first items are there. Throws stream_mismatch.
    void open(gr::block& self, const gr_vector_int& available);
    //! Describes the outputs on the items that are sent next, once a run. For a block whose
    //! open() never sees items.
    void describe(gr::block& self);

    //! A field that describes the stream of input 0, "" when it is not stated.
    std::string received(const std::string& field) const;

private:
    struct stream {
        std::string kind;
        stream_fields fields;
    };
    void check(gr::block& self, std::size_t port, int available);

    std::map<std::size_t, stream> d_expected, d_sent;
    stream_fields d_received; // of input 0
    bool d_described = false;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_BLOCK_STREAMS_H */
