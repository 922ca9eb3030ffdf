/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/lfile_writer.h"
#include "io/visibilities/writers/writers.h"
#include "kernels/base/types.h"

namespace gr::fringe::io {

namespace {

// The two files of the pair are called .LCCSPC and .LACSPC, in capitals or not.
std::string with_kind(std::string path, char kind)
{
    char& letter = path[path.size() - 5];
    letter = letter >= 'a' ? static_cast<char>(kind - 'A' + 'a') : kind;
    return path;
}

} // namespace

std::unique_ptr<visibility_writer>
make_lfiles_writer(const std::string& path, const visibility_file_params& params)
{
    lfile_part crosses{with_kind(path, 'C'), {}, false};
    lfile_part autos{with_kind(path, 'A'), {}, true};
    const std::size_t inputs = params.observation.inputs.size();
    for (std::size_t i = 0; i < inputs; i++)
        for (std::size_t j = i; j < inputs; j++)
            (i == j ? autos : crosses)
                .products.push_back(kernels::baseline_index(i, j, inputs));
    return std::make_unique<lfile_writer>(
        std::vector<lfile_part>{crosses, autos},
        "Describes the L-files .LCCSPC, [dump][product i < j][channel] complex64, and "
        ".LACSPC, [dump][input][channel] float32.",
        params);
}

} // namespace gr::fringe::io
