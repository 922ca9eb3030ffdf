/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_UVFITS_TABLES_H
#define INCLUDED_FRINGE_IO_UVFITS_TABLES_H

#include "io/visibilities/visibility_writer.h"
#include "io/visibilities/writers/baseline_layout.h"
#include <array>
#include <string>

namespace gr::fringe::io {

//! FITS comes in blocks of this number of bytes.
constexpr std::size_t fits_block = 2880;

constexpr std::size_t fits_blocks(std::size_t bytes)
{
    return (bytes + fits_block - 1) / fits_block * fits_block;
}

//! Random parameters of a group, in the order of the file.
enum uvfits_parameter { UU, VV, WW, DATE, DATE_REST, BASELINE, FREQSEL, INTTIM };
constexpr std::size_t uvfits_parameters = 8;

//! What the headers say of the whole file.
struct uvfits_field {
    std::array<double, 2> radec{}; //!< phase center, ICRS in radians
    epoch first;                   //!< center of the first dump
    epoch when;                    //!< when the phase center was there
};

//! The Julian date at the midnight before the first dump, from which DATE counts.
double uvfits_midnight(const uvfits_field& field);

//! Places of the correlations (of a baseline_layout) in a group: AIPS's order is XX YY XY
//! YX.
std::vector<std::size_t> uvfits_correlation_order(const baseline_layout& layout);

//! BASELINE of antennas counted from 0: 256 a + b, and 65536 + 2048 a + b in an array of
//! more than 255, counted from 1.
float uvfits_baseline(std::size_t antenna1, std::size_t antenna2, std::size_t antennas);

//! The header of the random groups, of `bytes` (0 = what it needs and some cards for
//! notes); GCOUNT is 0. Lines of `notes` that find no place are left out.
std::string uvfits_header(const visibility_file_params& params,
                          const baseline_layout& layout,
                          const uvfits_field& field,
                          const std::string& notes,
                          std::size_t bytes);

//! The card of the number of groups.
std::string uvfits_gcount_card(std::uint64_t groups);

//! The header of an extension without meaning, whose data take up `bytes`.
std::string uvfits_filler(std::size_t bytes);

//! The tables AIPS AN and AIPS FQ, whole extensions one behind the other.
std::string uvfits_tables(const visibility_file_params& params,
                          const baseline_layout& layout,
                          const uvfits_field& field);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_UVFITS_TABLES_H */
