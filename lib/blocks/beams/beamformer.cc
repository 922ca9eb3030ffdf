/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The parameters of beamformer.
#include "blocks/base/block_checks.h"
#include "blocks/base/memory_checks.h"
#include "blocks/beams/beam_powers_impl.h"
#include "blocks/beams/beam_voltages_impl.h"
#include "kernels/base/memory.h"
#include "stages/choose_target.h"

namespace gr::fringe {

namespace {

const std::string me = "beamformer";

} // namespace

beamformer::sptr beamformer::make(const fringe::observation& observation,
                                  const std::vector<std::string>& directions,
                                  const std::string& products,
                                  double seconds,
                                  std::uint64_t spectra,
                                  std::size_t average,
                                  std::size_t channels,
                                  std::size_t block_spectra,
                                  const std::string& component,
                                  bool complex_samples,
                                  const std::vector<std::string>& nulls,
                                  const std::vector<float>& amplitudes,
                                  const std::vector<std::complex<float>>& corrections,
                                  const std::string& backend,
                                  bool half_precision)
{
    check_component(me, component);
    const beam_product product = beam_product_of(products);
    beam_setup setup;
    setup.observation = observation;
    setup.directions = directions;
    setup.nulls = nulls;
    setup.amplitudes = amplitudes;
    setup.backend = choose_target(backend);
    setup.of.channels = channels > 0 ? channels : observation.channels;
    setup.of.complex_samples = complex_samples;
    setup.of.corrections = corrections;
    setup.of.reference = beam_directions(observation).reference();
    const std::string polarizations = beam_weights(observation, setup.of).polarizations();
    auto& p = setup.kernel;
    p.inputs = observation.inputs.size();
    p.channels = setup.of.channels;
    p.block_spectra = item_spectra(block_spectra, p.inputs, p.channels);
    p.beams = directions.size() * polarizations.size();
    p.in = kernels::component_from_name(component);
    p.half_precision = half_precision;
    require(
        me, p.beams > 0, "directions: the list is empty; give at least one direction");
    kernels::require_memory(me,
                            "weights of " + std::to_string(p.beams) + " beams",
                            40.0 * static_cast<double>(p.beams * p.channels * p.inputs));
    if (product == beam_product::voltages) {
        return gnuradio::make_block_sptr<beam_voltages_impl>(setup);
    }
    const beam_means means(product, polarizations, p.beams, p.channels, average);
    means.ask(p);
    return gnuradio::make_block_sptr<beam_powers_impl>(setup, means, seconds, spectra);
}

} // namespace gr::fringe
