/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_UVH5_CERTIFICATE_H
#define INCLUDED_FRINGE_IO_UVH5_CERTIFICATE_H

#include "io/durable/hdf5_output.h"
#include "io/visibilities/writers/rows_certificate.h"

namespace gr::fringe::io {

//! The certificate of a UVH5 file, as python/fringe/certificates/uvh5.py computes it.
class uvh5_certificate
{
public:
    //! [row][channel][correlation], and [row][3].
    struct values {
        const std::complex<float>* data;
        const float* weight;
        const bool* flag;
        const double* uvw;
    };

    uvh5_certificate(const visibility_file_params& params, const baseline_layout& layout);

    //! Rows from number `row` of the file on, which are those from `first` on of a dump.
    void add(const dump& d,
             std::uint64_t row,
             std::size_t first,
             std::size_t count,
             const values& v);
    //! With the sums of the header of a file that is complete.
    std::string line(const hdf5_output& file);

private:
    const baseline_layout& d_layout;
    const std::size_t d_cells;
    rows_certificate d_certificate;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_UVH5_CERTIFICATE_H */
