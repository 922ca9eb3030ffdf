/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_MS_CERTIFICATE_H
#define INCLUDED_FRINGE_IO_MS_CERTIFICATE_H

#include "io/visibilities/writers/ms_rows.h"
#include "io/visibilities/writers/rows_certificate.h"
#include <casacore/ms/MeasurementSets/MeasurementSet.h>

namespace gr::fringe::io {

//! The certificate of a MeasurementSet, as python/fringe/certificates/ms.py computes it.
class ms_certificate
{
public:
    ms_certificate(const visibility_file_params& params, const baseline_layout& layout);

    //! Rows from number `row` of the set on, which are those from `first` on of a dump.
    void add(const dump& d,
             const epoch& center,
             std::uint64_t row,
             std::size_t first,
             std::size_t count,
             const ms_rows& rows);
    //! With the sums of the tables of a set that is complete.
    std::string line(casacore::MeasurementSet& ms);

private:
    const baseline_layout& d_layout;
    const std::size_t d_cells;
    const double d_channel_width;
    rows_certificate d_certificate;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_MS_CERTIFICATE_H */
