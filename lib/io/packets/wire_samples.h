/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_WIRE_SAMPLES_H
#define INCLUDED_FRINGE_IO_WIRE_SAMPLES_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! How samples are coded in packets, and in the raw blocks that are made of them. A code
//! that `unpack` does not know is changed into one that says the same numbers.
struct wire_samples {
    std::string name;
    unsigned bits;        //!< of a sample on the wire, both components of a complex one
    std::string encoding; //!< of the raw blocks: what unpack takes as its format
    unsigned raw_bits;    //!< of a sample in a raw block
    //! Changes `count` samples from sample `first` of a payload on; null = they are copied.
    void (*convert)(const std::uint8_t* payload,
                    std::size_t first,
                    std::size_t count,
                    std::uint8_t* out);
};

//! Whether spectra can be made of it: complex integers of at most 8 bits.
FRINGE_API bool has_spectra_code(const wire_samples& wire);

//! All codes.
FRINGE_API const std::vector<wire_samples>& all_wire_samples();
//! By name; throws std::invalid_argument listing the names there are.
FRINGE_API const wire_samples& wire_samples_by_name(const std::string& name);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_WIRE_SAMPLES_H */
