/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/visibility_formats.h"
#include "io/visibilities/writers/writers.h"
#include <filesystem>
#include <stdexcept>
#include <strings.h>

namespace gr::fringe::io {

// A new format is a file in lib/io/visibilities/writers/ and a line here; where it can be
// read, too, also a file in python/fringe/readers/ and a row in visibility_kinds.py.
const std::vector<visibility_format>& visibility_formats()
{
    using phases = visibility_phases;
    static const std::vector<visibility_format> table{
        {".ms",
         "MeasurementSet",
         "MeasurementSet 2.0 for CASA, WSClean, AOFlagger, DP3: phased, with uvw and "
         "flags",
         true,
         true,
         phases::one_direction,
         make_measurement_set_writer},
        {".ACC",
         "ACC file (L-file)",
         "L-file: [dump][product][channel] complex64, unphased, and a .yml that "
         "describes "
         "it",
         true,
         false,
         phases::as_correlated,
         make_acc_writer},
        {".uvh5",
         "UVH5 file",
         "UVH5 1.1 (HDF5) for pyuvdata: phased, with uvw and flags, in one file",
         true,
         true,
         phases::any_direction,
         make_uvh5_writer},
        {".uvfits",
         "UVFITS file",
         "UVFITS (random groups) for AIPS, Miriad, CASA, pyuvdata: phased, with uvw and "
         "flags",
         true,
         false,
         phases::one_direction,
         make_uvfits_writer},
        {".LCCSPC",
         "pair of L-files",
         "L-file pair: .LCCSPC, products i < j complex64, and .LACSPC, autos float32",
         true,
         false,
         phases::as_correlated,
         make_lfiles_writer},
        {".LACSPC",
         "pair of L-files",
         "the same pair by its other name",
         true,
         false,
         phases::as_correlated,
         make_lfiles_writer},
    };
    return table;
}

const visibility_format& visibility_format_of(const std::string& path)
{
    const std::string ending = std::filesystem::path(path).extension();
    std::string known;
    for (const auto& f : visibility_formats()) {
        if (strcasecmp(ending.c_str(), f.ending.c_str()) == 0)
            return f;
        known += (known.empty() ? "" : ", ") + f.ending;
    }
    throw std::invalid_argument(
        (path.empty() ? "an output file without a name" : path) +
        ": the ending of the name chooses the format and must be one of " + known);
}

std::string endings_with_any_rows()
{
    std::string endings;
    for (const auto& f : visibility_formats())
        if (f.any_rows)
            endings += (endings.empty() ? "" : " and ") + f.ending;
    return endings;
}

} // namespace gr::fringe::io
