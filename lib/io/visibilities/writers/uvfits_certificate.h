/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_UVFITS_CERTIFICATE_H
#define INCLUDED_FRINGE_IO_UVFITS_CERTIFICATE_H

#include "io/visibilities/writers/rows_certificate.h"

namespace gr::fringe::io {

//! The certificate of a UVFITS file, as python/fringe/certificates/uvfits.py computes it.
class uvfits_certificate
{
public:
    uvfits_certificate(const visibility_file_params& params,
                       const baseline_layout& layout);

    //! Groups from number `row` of the file on, as they stand in it.
    void add(std::uint64_t row, std::size_t count, const std::string& groups);
    //! What is flagged, lost and in phase in rows `first` ... of a dump:
    //! [row][channel][correlation].
    void count(const dump& d,
               std::size_t first,
               std::size_t count,
               const std::complex<float>* data,
               const float* weight,
               const bool* flag);
    //! With the sums of a header, and of what stands behind the groups.
    std::string line(const std::string& header, const std::string& tables);

private:
    const std::size_t d_cells;
    const double d_channel_width;
    rows_certificate d_certificate;
    std::string d_values, d_weights; // of groups, taken apart
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_UVFITS_CERTIFICATE_H */
