/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/cell_occupancy.h"
#include "blocks/ports/stream_tags.h"

namespace gr::fringe {

namespace {

// In the order of the bits of kernels::cause.
const std::array<const char*, 6> names{
    "sk low", "sk high", "combined", "power", "mask", "any"};

} // namespace

cell_occupancy::cell_occupancy(std::size_t inputs, std::size_t channels)
    : d_inputs(inputs), d_channels(channels), d_flagged(inputs * channels)
{
    for (std::size_t k = 0; k < kinds; ++k) {
        d_all[k].resize(channels);
        d_new[k].resize(channels);
    }
}

void cell_occupancy::add(const std::vector<std::uint8_t>& causes,
                         const std::vector<std::uint32_t>& valid,
                         std::uint64_t spectra)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    for (std::size_t c = 0, cell = 0; c < d_channels; ++c) {
        std::size_t any = 0;
        for (std::size_t i = 0; i < d_inputs; ++i, ++cell) {
            if (!causes[cell]) {
                continue;
            }
            ++any;
            d_flagged[cell] += valid[i];
            for (std::size_t k = 0; k + 1 < kinds; ++k) {
                const unsigned flagged = causes[cell] >> k & 1;
                d_all[k][c] += flagged;
                d_new[k][c] += flagged;
            }
        }
        d_all.back()[c] += any;
        d_new.back()[c] += any;
    }
    d_spectra += spectra;
    d_new_spectra += spectra;
    ++d_windows;
    ++d_new_windows;
}

pmt::pmt_t cell_occupancy::message(const epoch& start, double seconds)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    pmt::pmt_t message = pmt::make_dict();
    message = pmt::dict_add(message, pmt::mp("time"), tag::from_epoch(start));
    message = pmt::dict_add(message, pmt::mp("seconds"), pmt::from_double(seconds));
    const double cells = static_cast<double>(d_new_windows * d_inputs);
    for (std::size_t k = 0; k < kinds; ++k) {
        std::vector<float> fraction(d_channels);
        for (std::size_t c = 0; c < d_channels; ++c) {
            fraction[c] =
                cells > 0 ? static_cast<float>(static_cast<double>(d_new[k][c]) / cells)
                          : 0;
            d_new[k][c] = 0;
        }
        const char* name = k + 1 < kinds ? names[k] : "fraction";
        message = pmt::dict_add(
            message, pmt::mp(name), pmt::init_f32vector(fraction.size(), fraction));
    }
    d_new_spectra = d_new_windows = 0;
    return message;
}

std::uint64_t cell_occupancy::spectra() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_spectra;
}

std::vector<std::uint64_t> cell_occupancy::flagged() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_flagged;
}

std::map<std::string, std::vector<std::uint64_t>> cell_occupancy::cells() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    std::map<std::string, std::vector<std::uint64_t>> out;
    for (std::size_t k = 0; k < kinds; ++k) {
        out[names[k]] = d_all[k];
    }
    out["searched"].assign(d_channels, d_windows * d_inputs);
    return out;
}

} // namespace gr::fringe
