/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/lfile_writer.h"
#include "io/visibilities/writers/writers.h"
#include "kernels/base/types.h"
#include <numeric>

namespace gr::fringe::io {

std::unique_ptr<visibility_writer> make_acc_writer(const std::string& path,
                                                   const visibility_file_params& params)
{
    lfile_part all{path, {}, false};
    all.products.resize(kernels::baselines(params.observation.inputs.size()));
    std::iota(all.products.begin(), all.products.end(), 0);
    return std::make_unique<lfile_writer>(
        std::vector<lfile_part>{all},
        "Describes the L-file of the same name: [dump][product][channel] complex64.",
        params);
}

} // namespace gr::fringe::io
