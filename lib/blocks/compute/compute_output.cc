/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/compute_output.h"
#include "blocks/ports/stream_description.h"
#include "kernels/base/compute_target.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>

namespace gr::fringe {

using kernels::device_stream;
using kernels::spectra_layout;

namespace {

// Returns the word for the device that a block works on at a ring, "" for the CPU.
std::string device_word(const gr::block& b, const gr::buffer& ring)
{
    const auto* computes = dynamic_cast<const device_block*>(&b);
    const auto on = computes ? computes->works_on(ring) : nullptr;
    return on ? kernels::compute_target(kernels::backend::cuda, on->info().index).name()
              : "";
}

} // namespace

void check_same_device(const gr::buffer& ring,
                       const gr::block& writer,
                       const gr::block& reader)
{
    const std::string there = device_word(writer, ring), here = device_word(reader, ring);
    if (!there.empty() && !here.empty() && there != here) {
        throw stream_mismatch(reader.alias() + " computes on " + here + ", but " +
                              writer.alias() + ", whose data it reads, on " + there +
                              ": give both the same backend");
    }
}

compute_output::compute_output(gr::block& owner,
                               std::size_t port,
                               std::shared_ptr<kernels::device> on,
                               std::size_t item_bytes,
                               bool to_host)
    : d_owner(owner),
      d_port(port),
      d_on(std::move(on)),
      d_bytes(item_bytes),
      d_to_host(to_host)
{
}

// Whether some reader does not compute on our device.
bool compute_output::host_reads() const
{
    const auto host = d_owner.detail()->output(d_port);
    for (std::size_t n = 0; n < host->nreaders(); ++n) {
        const auto* reader =
            dynamic_cast<const device_block*>(host->reader(n)->link().get());
        if (!reader || reader->works_on(*host) != d_on) {
            return true;
        }
    }
    return false;
}

// Whether some reader computes on our device.
bool compute_output::device_reads() const
{
    const auto host = d_owner.detail()->output(d_port);
    for (std::size_t n = 0; n < host->nreaders(); ++n) {
        const auto* reader =
            dynamic_cast<const device_block*>(host->reader(n)->link().get());
        if (reader && reader->works_on(*host) == d_on) {
            return true;
        }
    }
    return false;
}

// Returns rows where the readers do not agree.
spectra_layout compute_output::common_layout() const
{
    const auto host = d_owner.detail()->output(d_port);
    std::optional<spectra_layout> wanted;
    for (std::size_t n = 0; n < host->nreaders(); ++n) {
        const auto block = host->reader(n)->link();
        const auto* reader = dynamic_cast<const device_block*>(block.get());
        const auto its = reader ? reader->wanted_layout() : spectra_layout::channel_major;
        if (its != wanted.value_or(its)) {
            return spectra_layout::channel_major;
        }
        wanted = its;
    }
    return wanted.value_or(spectra_layout::channel_major);
}

spectra_layout compute_output::wanted_layout() const
{
    return !d_to_host && !host_reads() ? common_layout() : spectra_layout::channel_major;
}

void compute_output::open(gr::logger& log, const item_sizes& bytes_in)
{
    if (d_open) {
        return;
    }
    if (!d_on) { // an item of GNU Radio's ring has one size in all layouts
        const auto wanted = wanted_layout();
        d_layout = bytes_in(wanted) == d_bytes ? wanted : spectra_layout::channel_major;
        d_open = true;
        return;
    }
    const auto host = d_owner.detail()->output(d_port);
    for (std::size_t n = 0; n < host->nreaders() && !d_to_host; ++n) {
        check_same_device(*host, d_owner, *host->reader(n)->link());
    }
    const bool stop = d_to_host && !device_reads(); // on the way to the host
    d_copy = stop || host_reads();
    if (d_copy && !d_to_host) {
        log.info("output {:d}: a block that does not work on the {:s} reads it, so every "
                 "item is copied to the host",
                 d_port,
                 d_on->info().name);
    }
    const auto wanted = d_copy ? spectra_layout::channel_major : common_layout();
    const std::size_t other =
        wanted == spectra_layout::channel_major ? 0 : bytes_in(wanted);
    const auto layout = other > 0 ? wanted : spectra_layout::channel_major;
    const std::size_t bytes = other > 0 ? other : d_bytes;
    d_ring = stop ? std::make_shared<device_buffer>(d_on, *host, bytes, layout)
                  : device_buffer::attach(d_on, host, bytes, layout);
    if (d_copy) {
        // A copy into memory that the driver does not know runs at a fifth of the speed.
        d_registered = std::make_unique<registered_ring>(d_on, host);
    }
    if (d_copy && !d_arrived) {
        d_written = d_on->make_event();
        d_arrived = d_on->make_event();
    }
    d_open = true;
}

void compute_output::close()
{
    d_registered = nullptr;
    d_waiting = false;
    d_open = false;
}

void* compute_output::item(void* place) const
{
    return d_on ? d_ring->slot(place) : place;
}

void compute_output::done(void* place)
{
    if (!d_on || !d_copy) {
        return;
    }
    d_written->record(device_stream::compute);
    d_written->make_wait(device_stream::d2h);
    d_on->download(place, d_ring->slot(place), d_bytes);
    d_arrived->record(device_stream::d2h);
    d_waiting = true;
}

void compute_output::wait()
{
    if (d_waiting) {
        d_arrived->wait();
        d_waiting = false;
    }
}

} // namespace gr::fringe
