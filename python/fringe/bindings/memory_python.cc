/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What a plan of a correlator's memory counts: lengths of rings, bytes of stages on a GPU.

#include "memory_python.h"
#include "blocks/base/items_ahead.h"
#include "blocks/compute/ring_sizes.h"
#include "stages/gpu_memory.h"
#include "stages/window_search.h"
#include "stages/window_steering.h"

namespace py = pybind11;
using namespace gr::fringe;

namespace {

kernels::xengine_params xengine_of(std::size_t inputs,
                                   std::size_t channels,
                                   std::size_t block_spectra,
                                   const std::string& component)
{
    kernels::xengine_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = block_spectra;
    p.in = kernels::component_from_name(component);
    return p;
}

std::size_t filter_bank_bytes(std::size_t inputs,
                              std::size_t channels,
                              std::size_t block_spectra,
                              bool complex_samples,
                              const std::string& component,
                              unsigned taps,
                              bool corrected,
                              const tracking::sptr& towards)
{
    kernels::channelizer_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = block_spectra;
    p.complex_samples = complex_samples;
    p.in = kernels::component_from_name(component);
    p.taps = taps;
    p.max_shift_samples = window_steering::max_shift_samples(towards);
    return gr::fringe::channelizer_bytes(p) + (corrected ? 8 * inputs * channels : 0);
}

} // namespace

void bind_memory(py::module& m)
{
    m.attr("_COPIES_AHEAD") = compute_input::max_copies;
    m.attr("_GATHERED_BLOCKS") = compute_input::gathered_blocks;
    m.def("_ring_items", &device_ring_items, py::arg("item"), py::arg("least") = 0);
    m.def("_items_ahead", &items_ahead);
    m.def("_dump_ring_items", &dump_ring_items);
    m.def("_window_ring_items", &window_ring_items);
    m.def("_window_spectra", &window_spectra);
    m.def("_ring_before", &ring_before);
    m.def("_rate_of_together", &rate_of_together);
    m.def("_integrator_bytes", &integrator_bytes);
    m.def("_channelizer_bytes", &filter_bank_bytes);
    m.def("_xengine_bytes",
          [](std::size_t inputs,
             std::size_t channels,
             std::size_t block_spectra,
             const std::string& component) {
              return xengine_bytes(
                  xengine_of(inputs, channels, block_spectra, component));
          });
    m.def("_spectra_bytes",
          [](std::size_t inputs,
             std::size_t channels,
             std::size_t block_spectra,
             const std::string& component) {
              return spectra_bytes(
                  xengine_of(inputs, channels, block_spectra, component));
          });
    m.def("_blocks_together",
          [](std::size_t inputs,
             std::size_t channels,
             std::size_t block_spectra,
             const std::string& component) {
              return blocks_together(
                  xengine_of(inputs, channels, block_spectra, component));
          });
}
