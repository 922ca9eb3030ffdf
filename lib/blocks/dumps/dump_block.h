/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DUMP_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_DUMP_BLOCK_H

#include "blocks/base/guarded_block.h"
#include "blocks/dumps/dump_items.h"
#include "blocks/ports/dump_tags.h"
#include "blocks/ports/stream_kinds.h"
#include "kernels/reducing/reducer.h"
#include <gnuradio/fringe/epoch.h>
#include <gnuradio/io_signature.h>
#include <pmt/pmt.h>

namespace gr::fringe {

/*!
 * A block that takes whole dumps: visibilities on port 0, weights (without them 1) on
 * port 1, flags (without them none) on port 2; and now and then sends what it made of
 * them, item by item on all its outputs at once.
 *
 * While something is being sent nothing more is taken. At the end of the data what is
 * under way is flushed.
 */
class dump_block : public virtual gr::block, public guarded_block
{
public:
    bool start() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

protected:
    //! A dump as it came.
    struct received : kernels::dump_cells, dump_tags {
    };

    //! Values ([channel][baseline]) in an item and in a dump.
    dump_block(std::size_t item_values, std::size_t dump_values);

    //! Says what the dumps that come in are, and what goes out: visibilities, weights and
    //! flags on ports 0, 1 and 2.
    void expect_dumps(const stream_fields& fields);
    void send_dumps(const stream_fields& fields);

    //! The flowgraph starts, or goes on: what was being sent is to be sent once more.
    virtual void send_again() = 0;
    //! A whole dump; sets d_sending when something is finished by it.
    virtual void take(const received& d) = 0;
    //! No more data will come: finishes what is under way, and sets d_sending if that
    //! must be sent. Called again after it was.
    virtual void flush() = 0;
    //! Writes output item number `item`; false when it was the last.
    virtual bool send(const gr_vector_void_star& out, std::uint64_t item) = 0;
    //! It computes with the frequencies of its observation, so that dumps of others, tuned
    //! to while it runs, end the data.
    virtual bool one_frequency() const { return false; }

    //! The tags of a dump that begins with item number `item` of a port.
    void tag_dump(unsigned port, std::uint64_t item, const dump_tags& tags);

    bool d_sending = false; //!< something is finished and being sent

private:
    void take_item(const gr_vector_const_void_star& in, int index);
    void open_dump(std::uint64_t item);
    bool ended() const;
    void report_gap();
    int take_and_send(int space,
                      int available,
                      const gr_vector_const_void_star& in,
                      const gr_vector_void_star& out);

    const dump_items d_items;
    received d_dump;
    bool d_restarted = false; // no dump has come in this run, but some did before
    epoch d_end;              // of the last one
};

//! Inputs or outputs of dumps with `item_values` values in an item: visibilities, weights,
//! flags; the last two may be left out.
gr::io_signature::sptr dump_ports(const std::string& block, std::size_t item_values);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DUMP_BLOCK_H */
