/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "header_docs.h"
#include <gnuradio/fringe/beamformer.h>
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace py::literals;
using namespace gr::fringe;

void bind_beams(py::module& m)
{
    py::class_<beamformer, gr::block, gr::basic_block, std::shared_ptr<beamformer>>(
        m, "beamformer", docs::beamformer, explained())
        .def(py::init(&beamformer::make),
             docs::beamformer_make,
             "observation"_a,
             "directions"_a,
             "products"_a = "power",
             "seconds"_a = 0.1,
             "spectra"_a = 0,
             "average"_a = 1,
             "channels"_a = 0,
             "block_spectra"_a = 0,
             "component"_a = "f32",
             "complex_samples"_a = true,
             "nulls"_a = std::vector<std::string>{},
             "amplitudes"_a = std::vector<float>{},
             "corrections"_a = std::vector<std::complex<float>>{},
             "backend"_a = "auto",
             "half_precision"_a = false)
        .def("point",
             &beamformer::point,
             "directions"_a,
             "nulls"_a = std::vector<std::string>{},
             "amplitudes"_a = std::vector<float>{},
             "start"_a = epoch(),
             "New directions, as many as before. They count from the first spectrum on "
             "whose middle is at `start` or later; epoch() = at once.")
        .def("set_corrections",
             &beamformer::set_corrections,
             "corrections"_a,
             "start"_a = epoch(),
             "New factors [input * channels] of the spectra, in place of those before. "
             "They "
             "count as new directions do.")
        .def("polarizations",
             &beamformer::polarizations,
             "The polarizations of the beams of a direction, in their order.")
        .def(
            "weights",
            [](const beamformer& b, const epoch& t) {
                const auto w = b.weights(t);
                const std::size_t beams = b.beams(), inputs = b.inputs();
                return py::array_t<std::complex<float>>(
                    {beams, w.size() / beams / inputs, inputs}, w.data());
            },
            "time"_a,
            "The weights at an instant, of the directions that count now: "
            "[beam][channel][input].")
        .def(
            "smearing",
            &beamformer::smearing,
            "time"_a,
            "A sentence on what the beams lose at an instant, as weights turn phases and "
            "shift no samples; empty where that is little.")
        .def("beams", &beamformer::beams, "Directions times polarizations.");
}
