/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "kernels/overlap_save/overlap_save.h"
#include "stages/choose_target.h"
#include <pybind11/numpy.h>

namespace py = pybind11;
using namespace gr::fringe::kernels;

namespace {

constexpr int plain = py::array::c_style | py::array::forcecast;
using complexes = py::array_t<std::complex<float>, plain>;

class python_overlap_save
{
public:
    python_overlap_save(const complexes& filters,
                        std::size_t past,
                        std::size_t future,
                        const std::string& which)
    {
        if (filters.ndim() != 2) {
            throw std::invalid_argument(
                "overlap_save: filters must be an array [row][points]");
        }
        overlap_save_params p;
        p.rows = std::size_t(filters.shape(0));
        p.points = std::size_t(filters.shape(1));
        p.past = past;
        p.future = future;
        const auto where = gr::fringe::choose_target(which);
        const auto* values = filters.data();
        const py::gil_scoped_release released;
        d_kernel = make_overlap_save_of_host(where, p, values);
    }

    complexes filter(const complexes& samples)
    {
        const overlap_save_params& p = d_kernel->params();
        if (samples.ndim() != 3 || std::size_t(samples.shape(0)) != p.rows) {
            throw std::invalid_argument("overlap_save: samples must be an array "
                                        "[row][beam][time] of " +
                                        std::to_string(p.rows) + " rows");
        }
        const auto beams = std::size_t(samples.shape(1));
        const auto count = std::size_t(samples.shape(2)), made = p.made_of(count);
        complexes out({p.rows, beams, made});
        const auto* from = samples.data();
        auto* to = out.mutable_data();
        const py::gil_scoped_release released;
        d_kernel->filter(0, p.rows, beams, count, {from, count}, {to, made});
        return out;
    }

private:
    std::unique_ptr<overlap_save> d_kernel;
};

} // namespace

void bind_overlap_save(py::module& m)
{
    py::class_<python_overlap_save>(m,
                                    "_overlap_save",
                                    "Filters in time by transforms: filters "
                                    "[row][points] are transforms of what takes from "
                                    "`past` samples before and `future` behind one. "
                                    "backend: cpu, cuda, cuda:1, generic or "
                                    "auto.",
                                    explained())
        .def(py::init<const complexes&, std::size_t, std::size_t, const std::string&>(),
             py::arg("filters"),
             py::arg("past"),
             py::arg("future"),
             py::arg("backend") = "cpu")
        .def("filter",
             &python_overlap_save::filter,
             "What whole transforms make of samples [row][beam][time]; the first sample "
             "that "
             "comes out belongs to sample number `past`.",
             py::arg("samples"));
}
