/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/spectra/spectra_datasets.h"
#include "io/durable/hdf5_labels.h"
#include <algorithm>
#include <gnuradio/fringe/observation.h>
#include <iterator>
#include <numeric>

namespace gr::fringe::io {

namespace {

using element = hdf5_output::element;

} // namespace

void make_spectra_datasets(hdf5_output& f,
                           const spectra_facts& facts,
                           const spectra_run& run)
{
    const hsize_t channels = facts.channels, inputs = facts.inputs;
    const std::size_t block = facts.block;
    const double middle = facts.frequency != 0 ? facts.frequency : run.frequency;

    label_text(f, "/", "format", spectra_format);
    label_integer(f, "/", "version", 1);
    label_text(f, "/", "program", "gr-fringe " FRINGE_VERSION);
    label_text(f, "/", "start", epoch::from_pair(run.second, run.fraction).iso(9));
    label_text(f, "/", "remark", facts.time);
    label_number(f, "/", "rate", facts.rate);
    label_number(f, "/", "center_frequency", middle);
    label_integer(f, "/", "bits", static_cast<std::int64_t>(facts.bits));
    label_integer(f, "/", "block", static_cast<std::int64_t>(block));
    label_integer(
        f, "/", "packet_channels", static_cast<std::int64_t>(facts.packet_channels));

    observation band;
    band.sample_rate = facts.rate * static_cast<double>(channels);
    band.center_frequency = middle;
    const auto frequencies = band.channel_frequencies(channels, true);
    std::vector<std::int64_t> numbers(inputs);
    std::iota(numbers.begin(), numbers.end(), 0);
    f.array("frequency", element::float64, frequencies.data(), {channels});
    f.array("input", element::int64, numbers.data(), {inputs});
    f.growing("spectra", element::complex16, {channels, inputs}, block, 2);
    f.growing("lost", element::boolean, {facts.packets(), inputs}, block, 2);
    f.growing(
        "time", element::float64, {}, std::max<std::size_t>(block, spectra_short_rows));
    f.growing("block_spectra", element::int64, {}, spectra_short_rows);
    f.group("runs");
    for (std::size_t k = 0; k < std::size(spectra_run_columns); k++)
        f.growing(spectra_run_columns[k],
                  k < spectra_whole_columns ? element::int64 : element::float64,
                  {},
                  spectra_short_rows);

    label_axes(f, "spectra", {"frequency", "input", "time"});
    label_axes(f, "lost", {"packet", "input", "time"});
    label_text(f, "frequency", "units", "Hz");
    label_text(
        f, "frequency", "counted_from", middle != 0 ? "0 Hz" : "the middle of the band");
    label_text(f, "time", "units", "s");
    label_text(
        f, "time", "counted_from", epoch::from_pair(run.second, run.fraction).iso(9));
    label_text(f, "runs/second", "units", "s");
    label_text(f, "runs/fraction", "units", "s");
    label_text(f, "runs/rate", "units", "Hz");
    label_text(f, "runs/frequency", "units", "Hz");
}

} // namespace gr::fringe::io
