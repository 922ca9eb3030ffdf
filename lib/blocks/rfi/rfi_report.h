/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_RFI_REPORT_H
#define INCLUDED_FRINGE_BLOCKS_RFI_REPORT_H

#include "kernels/flagging/occupancy.h"
#include <gnuradio/fringe/epoch.h>
#include <map>
#include <mutex>
#include <pmt/pmt.h>
#include <string>

namespace gr::fringe {

/*!
 * What the rfi_flagger tells about its flags: a message for the dumps searched last, and
 * totals since the beginning, which other threads may ask for.
 */
class rfi_report
{
public:
    explicit rfi_report(std::size_t channels);

    //! One dump of those searched together; flags: [channel][baseline].
    void add(const std::uint8_t* flags, std::size_t baselines);
    //! Of the dumps added since the last call, the first of which began at \a start: the
    //! dictionary for the message port `occupancy`.
    pmt::pmt_t message(const epoch& start);

    std::map<std::string, std::uint64_t> totals() const;
    std::uint64_t dumps() const;

private:
    const std::size_t d_channels;
    kernels::occupancy d_window; // of the dumps searched last
    std::uint64_t d_new_dumps = 0;
    mutable std::mutex d_mutex; // of what follows
    std::map<std::string, std::uint64_t> d_totals;
    std::uint64_t d_dumps = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_RFI_REPORT_H */
