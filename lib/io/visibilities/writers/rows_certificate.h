/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_ROWS_CERTIFICATE_H
#define INCLUDED_FRINGE_IO_ROWS_CERTIFICATE_H

#include "io/certificates/certificate.h"
#include "io/visibilities/visibility_writer.h"
#include "io/visibilities/writers/baseline_layout.h"
#include <memory>

namespace gr::fringe::io {

//! The certificate of a file of rows, each two antennas at one time.
class rows_certificate
{
public:
    //! conjugated: the data are <conj(x_1) x_2>.
    rows_certificate(const visibility_file_params& params,
                     const baseline_layout& layout,
                     bool conjugated);

    //! Counts what is flagged, lost and in phase in rows first ... first + count - 1 of a
    //! dump: [row][channel][correlation]. full_weight: where nothing was lost.
    void count(const dump& d,
               std::size_t first,
               std::size_t count,
               const std::complex<float>* data,
               const float* weight,
               const bool* flag,
               double full_weight);

    certificate text; //!< of the file

private:
    const visibility_file_params& d_params;
    const baseline_layout& d_layout;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_ROWS_CERTIFICATE_H */
