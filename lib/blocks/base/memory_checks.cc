/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/memory_checks.h"
#include "kernels/base/memory.h"
#include <sstream>

namespace gr::fringe {

void require_memory_for_sums(const std::string& block,
                             std::size_t inputs,
                             std::size_t channels,
                             double bytes)
{
    const auto baselines =
        static_cast<double>(inputs) * (static_cast<double>(inputs) + 1) / 2;
    std::ostringstream what;
    what.precision(15);
    what << "sums of " << baselines << " baselines in " << channels << " channels";
    kernels::require_memory(
        block, what.str(), bytes * baselines * static_cast<double>(channels));
}

void require_memory_for_spectra(const std::string& block,
                                std::size_t inputs,
                                std::size_t channels,
                                std::size_t block_spectra,
                                double bytes)
{
    const std::string what = "blocks of " + std::to_string(block_spectra) +
                             " spectra of " + std::to_string(inputs) + " inputs in " +
                             std::to_string(channels) + " channels";
    kernels::require_memory(block,
                            what,
                            bytes * static_cast<double>(inputs) *
                                static_cast<double>(channels) *
                                static_cast<double>(block_spectra));
}

} // namespace gr::fringe
