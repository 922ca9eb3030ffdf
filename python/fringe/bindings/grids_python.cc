/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "kernels/gridder/wprojection/convolver.h"
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe::kernels;

namespace {

constexpr int plain = py::array::c_style | py::array::forcecast;
using doubles = py::array_t<double, plain>;
using complexes = py::array_t<std::complex<float>, plain>;

gridder_params square(std::size_t size, double pixel)
{
    gridder_params p;
    p.columns = p.rows = size;
    p.pixel_l = p.pixel_m = pixel;
    return p;
}

w_kernels::choice of_cells(std::size_t cells)
{
    w_kernels::choice c;
    c.nu = c.nv = cells;
    return c;
}

//! Kernels for w up to a largest one, and what spreads visibilities by them.
class grid_convolver
{
public:
    grid_convolver(std::size_t size, std::size_t cells, double pixel, double max_w)
        : d_size(size),
          d_cells(cells),
          d_kernels(square(size, pixel), of_cells(cells), max_w),
          d_convolver(make_cpu_convolver(d_kernels, 1))
    {
    }
    double max_w() const { return d_kernels.max_w(); }
    unsigned support() const { return d_kernels.geometry().support; }
    std::vector<double> taper() const
    {
        std::vector<double> out;
        for (std::size_t k = 0; k < d_size; k++) {
            out.push_back(1 / d_kernels.correction_u(k));
        }
        return out;
    }
    void spread(const doubles& uvw,
                const doubles& frequencies,
                const complexes& values,
                py::array_t<std::complex<float>, py::array::c_style> grid)
    {
        const auto cells = py::ssize_t(d_cells);
        if (uvw.ndim() != 2 || uvw.shape(1) != 3 || frequencies.ndim() != 1 ||
            values.ndim() != 2 || values.shape(0) != uvw.shape(0) ||
            values.shape(1) != frequencies.shape(0) || grid.ndim() != 2 ||
            grid.shape(0) != cells || grid.shape(1) != cells) {
            throw std::invalid_argument(
                "gridder: uvw must be an array [row][3], frequencies [channel], values "
                "[row][channel] and the grid [cell][cell]");
        }
        const visibility_rows at{std::size_t(uvw.shape(0)),
                                 uvw.data(),
                                 std::size_t(frequencies.shape(0)),
                                 frequencies.data()};
        const auto* from = values.data();
        auto* to = grid.mutable_data();
        const py::gil_scoped_release released;
        d_convolver->spread(at, from, to);
    }

private:
    const std::size_t d_size, d_cells;
    const w_kernels d_kernels;
    const std::unique_ptr<convolver> d_convolver;
};

} // namespace

void bind_grids(py::module& m)
{
    py::class_<grid_convolver>(
        m,
        "_grid_convolver",
        "Adds visibilities to a grid of cells [v][u] by kernels of W-projection for w up "
        "to max_w wavelengths; 0 leaves w out. The cell of u = v = 0 comes first.",
        explained())
        .def(py::init<std::size_t, std::size_t, double, double>(),
             py::arg("size"),
             py::arg("cells"),
             py::arg("pixel"),
             py::arg("max_w"))
        .def_property_readonly("max_w", &grid_convolver::max_w)
        .def_property_readonly("support", &grid_convolver::support)
        .def("taper",
             &grid_convolver::taper,
             "What the image is multiplied by, [column] and [row].")
        .def(
            "spread",
            &grid_convolver::spread,
            "Adds values [row][channel], uvw [row][3] in meters. All uvw must be finite.",
            py::arg("uvw"),
            py::arg("frequencies"),
            py::arg("values"),
            py::arg("grid").noconvert());
}
