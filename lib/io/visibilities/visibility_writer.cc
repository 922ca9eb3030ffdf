/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/visibility_writer.h"
#include "io/durable/partial_path.h"
#include "io/visibilities/async_writer.h"
#include "io/visibilities/averaging_writer.h"
#include "io/visibilities/rolling_writer.h"
#include "io/visibilities/selecting_writer.h"
#include "io/visibilities/visibility_formats.h"
#include "kernels/base/types.h"
#include <stdexcept>

namespace gr::fringe::io {

namespace {

// A satellite is no direction among the stars: its visibilities are in phase as they come
// when they were tracked, and only there.
void check_satellite(visibility_phases phases,
                     const std::string& path,
                     const visibility_file_params& params)
{
    if (phases == visibility_phases::one_direction)
        throw std::invalid_argument(
            path + ": is phased to one direction among the stars, and a satellite has "
                   "none: write .uvh5, whose phase center may move, or .ACC or .LCCSPC, "
                   "whose visibilities stay as they were tracked");
    if (phases == visibility_phases::as_correlated)
        return;
    if (!params.observation.tracking || !params.observation.fringe_stopping)
        throw std::invalid_argument(path +
                                    ": satellite: its distance counts, so that its "
                                    "delays are taken out by tracking alone: set "
                                    "tracking and fringe_stopping");
    if (params.averaging.loss != 0)
        throw std::invalid_argument(path +
                                    ": averaging by baseline is towards the stars, "
                                    "not a satellite; leave out the smearing loss");
}

// A file behind the stages that the parameters ask for.
std::unique_ptr<visibility_writer> open_staged(const visibility_format& format,
                                               const std::string& path,
                                               const visibility_file_params& params)
{
    const bool averages = params.averaging.loss != 0, selects = params.products != "all";
    if ((averages || selects) && !format.any_rows)
        throw std::invalid_argument(
            path +
            ": averaging by baseline, and autos or crosses only, can be written to " +
            endings_with_any_rows());
    if (params.satellite)
        check_satellite(format.phases, path, params);
    auto file = format.make(path, params);
    if (averages)
        file = std::make_unique<averaging_writer>(path, params, std::move(file));
    if (selects)
        file = std::make_unique<selecting_writer>(path, params, std::move(file));
    return file;
}

} // namespace

std::unique_ptr<visibility_files>
open_visibility_file(const std::string& path, const visibility_file_params& params)
{
    const std::string name = without_trailing_slash(path);
    const auto& format = visibility_format_of(name);
    if (params.channels == 0)
        throw std::invalid_argument(
            name + ": a visibility file needs at least 1 channel, not 0");
    if (params.observation.inputs.empty())
        throw std::invalid_argument(
            name + ": a visibility file needs an observation with at least 1 input");
    return std::make_unique<async_writer>(std::make_unique<rolling_writer>(
        name, params, [&format](const auto& file, const auto& p) {
            return open_staged(format, file, p);
        }));
}

void check_dump(const std::string& path,
                const visibility_file_params& params,
                const dump& d)
{
    const std::size_t cells =
        params.channels * kernels::baselines(params.observation.inputs.size());
    if (d.visibilities.size() != cells || d.weights.size() != cells)
        throw std::invalid_argument(
            path + ": a dump must have " + std::to_string(cells) +
            " visibilities and weights (channels x products), not " +
            std::to_string(d.visibilities.size()) + " and " +
            std::to_string(d.weights.size()));
    if (!d.flags.empty() && d.flags.size() != cells)
        throw std::invalid_argument(path + ": a dump must have " + std::to_string(cells) +
                                    " flags or none, not " +
                                    std::to_string(d.flags.size()));
}

} // namespace gr::fringe::io
