/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "blocks/dumps/dump_peeler_block.h"
#include "dump_functions.h"
#include "stages/choose_target.h"
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

namespace {

//! (turns [source][channel][antenna], lengths [row], tapers [hand][group], left_out [channel]).
kernels::peeling_sky sky_of(const py::object& made)
{
    const auto parts = made.cast<py::tuple>();
    return {numbers_of<std::complex<float>>(parts[0]),
            numbers_of<float>(parts[1]),
            numbers_of<float>(parts[2]),
            numbers_of<std::uint8_t>(parts[3])};
}

//! (gains [group][hand][source][antenna], message).
dump_peeler_block::solution solution_of(const py::object& made)
{
    const auto parts = made.cast<py::tuple>();
    return {numbers_of<std::complex<float>>(parts[0]), parts[1].cast<pmt::pmt_t>()};
}

//! An array of rows of `columns` values.
template <class T>
py::array_t<T> rows_of(const std::vector<T>& values, std::size_t columns)
{
    const std::size_t rows = columns > 0 ? values.size() / columns : 0;
    return py::array_t<T>({rows, columns}, values.data());
}

//! (data [source][row], models [pair of sources][row], weights [row], all weights [row],
//! heaviest, level, cells, outliers): see peeling_sums.
py::tuple sums(dump_peeler_block& block,
               std::size_t hand,
               std::size_t group,
               const array_of<std::complex<float>>& gains,
               float clip)
{
    const auto trial = numbers_of<std::complex<float>>(gains);
    kernels::peeling_sums s;
    {
        const py::gil_scoped_release released;
        s = block.sums(hand, group, trial, clip);
    }
    const std::size_t rows = s.weights.size();
    return py::make_tuple(rows_of(s.data, rows),
                          rows_of(s.models, rows),
                          py::array_t<float>(rows, s.weights.data()),
                          py::array_t<float>(rows, s.all_weights.data()),
                          s.heaviest,
                          s.level,
                          s.cells,
                          s.outliers);
}

dump_peeler_block::sptr make(std::size_t inputs,
                             std::size_t channels,
                             std::size_t antennas,
                             std::size_t sources,
                             const std::vector<array_of<std::uint32_t>>& hands,
                             const std::vector<std::array<std::size_t, 2>>& groups,
                             const std::vector<double>& frequencies,
                             std::size_t channels_per_item,
                             const std::string& backend,
                             py::function geometry,
                             py::function solve)
{
    kernels::peeling_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.antennas = antennas;
    p.sources = sources;
    for (const auto& hand : hands) {
        p.hands.emplace_back();
        for (py::ssize_t k = 0; k < hand.shape(0); k++) {
            p.hands.back().push_back({hand.at(k, 0), hand.at(k, 1), hand.at(k, 2)});
        }
    }
    p.groups = groups;
    p.frequencies = frequencies;
    const python_function place(std::move(geometry)), solver(std::move(solve));
    return dump_peeler_block::make(
        p,
        channels_per_item,
        choose_target(backend),
        [=](const described_dump& d) {
            const py::gil_scoped_acquire lock;
            return place.call(sky_of, described(d));
        },
        [=](const described_dump& d, dump_peeler_block& block) {
            const py::gil_scoped_acquire lock;
            const py::cpp_function its_sums(
                [&block](std::size_t hand,
                         std::size_t group,
                         const array_of<std::complex<float>>& gains,
                         float clip) { return sums(block, hand, group, gains, clip); });
            return solver.call(solution_of, described(d), its_sums);
        });
}

} // namespace

void bind_dump_peeler(py::module& m)
{
    py::class_<dump_peeler_block,
               gr::block,
               gr::basic_block,
               std::shared_ptr<dump_peeler_block>>(
        m,
        "_dump_peeler",
        "Sources taken out of dumps where these are: see gpu_peeler.",
        explained())
        .def(py::init(&make),
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("antennas"),
             py::arg("sources"),
             py::arg("hands"),
             py::arg("groups"),
             py::arg("frequencies"),
             py::arg("channels_per_item"),
             py::arg("backend"),
             py::arg("geometry"),
             py::arg("solve"));
    m.attr("_peeled_sources_limit") = kernels::peeling_params::max_sources;
}
