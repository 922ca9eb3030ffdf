/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DUMPS_DUMP_INPUT_H
#define INCLUDED_FRINGE_BLOCKS_DUMPS_DUMP_INPUT_H

#include "blocks/compute/compute_input.h"
#include <algorithm>
#include <complex>
#include <deque>

namespace gr::fringe {

/*!
 * \brief The inputs of a block that reads dumps item by item on a device, or on the CPU:
 * visibilities, and weights where these are connected.
 */
class dump_input
{
public:
    //! \param values of an item: of each input
    dump_input(gr::block& owner,
               const std::shared_ptr<kernels::device>& on,
               std::size_t values)
        : d_owner(owner)
    {
        d_ports.emplace_back(owner, on, values * sizeof(std::complex<float>), 0);
        d_ports.emplace_back(owner, on, values * sizeof(float), 1);
    }

    void begin_run()
    {
        for (auto& port : d_ports) {
            port.begin_run();
        }
    }
    //! Opens as many inputs as are connected. Throws device_error.
    void open(std::size_t connected)
    {
        for (std::size_t port = 0; port < connected; ++port) {
            d_ports[port].open();
        }
    }
    void close()
    {
        for (auto& port : d_ports) {
            port.close();
        }
    }

    //! Whether the next item of each input can be taken.
    bool ready(const gr_vector_int& available) const
    {
        for (std::size_t port = 0; port < available.size(); ++port) {
            if (!d_ports[port].ready(static_cast<std::size_t>(available[port]))) {
                return false;
            }
        }
        return true;
    }
    //! Items of visibilities that were taken and are not consumed yet.
    std::size_t in_flight() const { return d_ports[0].in_flight(); }
    //! Whether items of any input are not consumed, so that kernels may still read them.
    bool reads_its_ring() const
    {
        return std::any_of(d_ports.begin(), d_ports.end(), [](const auto& port) {
            return port.in_flight() > 0;
        });
    }

    //! Hands the next item of each input to read(visibilities, weights or null), which starts
    //! the kernels.
    template <class F>
    void take(const gr_vector_const_void_star& in, F read)
    {
        const auto* visibilities =
            static_cast<const std::complex<float>*>(d_ports[0].item(in[0]));
        const auto* weights =
            in.size() > 1 ? static_cast<const float*>(d_ports[1].item(in[1])) : nullptr;
        read(visibilities, weights);
        for (std::size_t port = 0; port < in.size(); ++port) {
            d_ports[port].done();
        }
    }
    //! Consumes what no kernel reads any more. With `wait` it is at least one item, if any was
    //! taken.
    void consume(std::size_t connected, bool wait)
    {
        for (std::size_t port = 0; port < connected; ++port) {
            d_owner.consume(static_cast<int>(port), d_ports[port].release(wait));
        }
    }

private:
    gr::block& d_owner;
    std::deque<compute_input> d_ports; // they do not move
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DUMPS_DUMP_INPUT_H */
