/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DEVICES_CROSSING_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_DEVICES_CROSSING_BLOCK_H

#include "blocks/base/guarded_block.h"
#include "blocks/compute/compute_output.h"
#include "kernels/base/compute_target.h"
#include <deque>
#include <memory>
#include <vector>

namespace gr::fringe {

/*!
 * A block that copies items to the rings of several devices: item n of every input becomes
 * item n of every output. No kernel runs.
 *
 * Copies are asked for several items ahead. An item is consumed and produced when all its
 * copies are done, so neither those who write what was read nor those who read what was
 * written need an event: what they enqueue comes later. Only the copies wait, in their own
 * streams, for the kernels that wrote an item and for those that read the item whose slot it
 * gets.
 */
class crossing_block : public virtual gr::block, public guarded_block, public device_block
{
public:
    std::shared_ptr<kernels::device> works_on(const gr::buffer& ring) const override;
    bool start() override;
    bool stop() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

protected:
    //! `on`: the device of each output.
    explicit crossing_block(std::vector<std::shared_ptr<kernels::device>> on);

    using devices = std::vector<std::shared_ptr<kernels::device>>;
    using events = std::vector<std::unique_ptr<kernels::device_event>>;

    //! Returns the device that an input is read on; null: the host.
    virtual std::shared_ptr<kernels::device> input_device(std::size_t port) const = 0;
    //! Opens the inputs, after all outputs have been closed; the flowgraph runs.
    virtual void open_inputs() = 0;
    virtual void close_inputs() = 0;
    //! Returns the bytes of an output item in a layout, 0 where it does not come in that.
    virtual std::size_t item_bytes_in(std::size_t port,
                                      kernels::spectra_layout layout) const = 0;
    //! Enqueues the copies of an item, from places in GNU Radio's rings to slots of the
    //! outputs. Records `done`, one event for each device, behind them.
    virtual void copy_item(const std::vector<const void*>& in,
                           const std::vector<void*>& out,
                           const events& done) = 0;
    //! Writes the tags of an item.
    virtual void tag_item(std::uint64_t in_item, std::uint64_t out_item) = 0;

    //! One event on each device.
    events make_events() const;
    //! Copies into the rings wait for the kernels that read what was in the same slots.
    void wait_for_readers(kernels::device_stream copies);

    const devices d_on;
    std::vector<compute_output> d_out;

private:
    //! Items under way: enough to keep the links busy.
    static constexpr std::size_t max_copies = 8;

    int move_items(int space,
                   const gr_vector_int& available,
                   const gr_vector_const_void_star& in,
                   const gr_vector_void_star& out);
    void begin_item(const gr_vector_const_void_star& in, const gr_vector_void_star& out);
    bool arrived(bool wait);
    void open_ports();

    bool d_open = false;
    std::vector<events> d_done; // of the items under way
    //! Slots for the items before number `end`, and events behind the kernels that read them.
    struct free_slots {
        std::uint64_t end;
        events read;
    };
    void note_free_slots(std::size_t space);
    void use_slot(std::uint64_t item);

    std::deque<free_slots> d_free;
    std::vector<events> d_unused;
    std::uint64_t d_free_end = 0;
    std::uint64_t d_begun = 0;
    std::size_t d_in_flight = 0;
};

//! Returns the devices that are meant by "cuda:0", "cuda:1", ... Throws
//! std::invalid_argument naming the block.
std::vector<std::shared_ptr<kernels::device>>
devices_named(const std::string& block, const std::vector<std::string>& names);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DEVICES_CROSSING_BLOCK_H */
