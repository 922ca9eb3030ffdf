/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SPECTRA_CERTIFICATE_H
#define INCLUDED_FRINGE_IO_SPECTRA_CERTIFICATE_H

#include "io/certificates/certificate.h"
#include "io/spectra/spectra_facts.h"

namespace gr::fringe::io {

//! The certificate of a recording of spectra, as python/fringe/certificates/spectra.py
//! computes it: rows are the channels (or packets) of a block, as far as it is filled.
class spectra_certificate
{
public:
    explicit spectra_certificate(const spectra_facts& facts) : d_facts(facts) {}

    //! Block number `block`, of which `count` spectra are there: [channel][input][spectrum],
    //! [packet][input][spectrum] (nullptr: nothing was lost), [spectrum].
    void add(std::uint64_t block,
             std::size_t count,
             const std::int8_t* values,
             const bool* lost,
             const double* times);
    std::string json() const { return d_text.json(); }

private:
    void add_rows(const std::string& name,
                  std::uint64_t block,
                  std::size_t count,
                  std::size_t rows,
                  std::size_t value_bytes,
                  const void* values);

    const spectra_facts& d_facts;
    certificate d_text{""};
    std::string d_part; // of a block that is not full
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SPECTRA_CERTIFICATE_H */
