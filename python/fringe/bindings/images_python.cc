/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "bindings.h"
#include "io/images/fits_image.h"
#include "io/visibilities/writers/phased_rows.h"
#include "kernels/image/imaging_weights.h"
#include "stages/choose_target.h"
#include <algorithm>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;
using namespace gr::fringe::kernels;

namespace {

constexpr int plain = py::array::c_style | py::array::forcecast;
using doubles = py::array_t<double, plain>;
using floats = py::array_t<float, plain>;
using values = py::array_t<std::complex<float>, plain>;

//! [row][3] and [channel].
visibility_rows rows_of(const doubles& uvw, const doubles& frequencies)
{
    if (uvw.ndim() != 2 || uvw.shape(1) != 3) {
        throw std::invalid_argument("gridder: uvw must be an array [row][3] in meters");
    }
    if (frequencies.ndim() != 1) {
        throw std::invalid_argument("gridder: frequencies must be an array [channel]");
    }
    return {std::size_t(uvw.shape(0)),
            uvw.data(),
            std::size_t(frequencies.shape(0)),
            frequencies.data()};
}

void check_shape(const py::array& a,
                 const std::vector<std::size_t>& shape,
                 const std::string& what)
{
    bool same = std::size_t(a.ndim()) == shape.size();
    for (std::size_t k = 0; same && k < shape.size(); k++) {
        same = std::size_t(a.shape(py::ssize_t(k))) == shape[k];
    }
    if (!same) {
        std::string text;
        for (const std::size_t n : shape) {
            text += "[" + std::to_string(n) + "]";
        }
        throw std::invalid_argument("gridder: " + what + " must be an array " + text);
    }
}

std::unique_ptr<gridder> make(std::size_t columns,
                              std::size_t rows,
                              double pixel_l,
                              double pixel_m,
                              double epsilon,
                              bool w_term,
                              const std::string& method,
                              const std::string& which,
                              unsigned support,
                              std::size_t w_planes,
                              bool interpolate,
                              bool half_precision,
                              std::size_t polarizations,
                              const std::vector<std::string>& devices)
{
    gridder_params p;
    p.how = gridder_method_from_name(method);
    p.columns = columns;
    p.rows = rows;
    p.pixel_l = pixel_l;
    p.pixel_m = pixel_m;
    p.epsilon = epsilon;
    p.w_term = w_term;
    p.support = support;
    p.w_planes = w_planes;
    p.interpolate = interpolate;
    p.half_precision = half_precision;
    p.polarizations = polarizations;
    std::vector<compute_target> targets;
    std::transform(
        devices.begin(), devices.end(), std::back_inserter(targets), choose_target);
    if (targets.empty()) {
        targets.push_back(choose_target(which));
    }
    return make_gridder(targets, p);
}

//! A shape for each polarization, where there are several.
std::vector<std::size_t> planes_of(const gridder& g, std::vector<std::size_t> shape)
{
    if (g.params().polarizations > 1) {
        shape.insert(shape.begin(), g.params().polarizations);
    }
    return shape;
}

void grid(gridder& g,
          const doubles& uvw,
          const doubles& frequencies,
          const values& data,
          const floats& weights,
          py::array_t<float, py::array::c_style> image)
{
    const auto at = rows_of(uvw, frequencies);
    check_shape(data, planes_of(g, {at.rows, at.channels}), "data");
    check_shape(weights, planes_of(g, {at.rows, at.channels}), "weights");
    check_shape(image, planes_of(g, {g.params().rows, g.params().columns}), "the image");
    const auto* from = data.data();
    const auto* weight = weights.data();
    float* to = image.mutable_data();
    const py::gil_scoped_release released;
    g.grid(at, from, weight, to);
}

values
degrid(gridder& g, const doubles& uvw, const doubles& frequencies, const floats& image)
{
    const auto at = rows_of(uvw, frequencies);
    check_shape(image, planes_of(g, {g.params().rows, g.params().columns}), "the image");
    values data(planes_of(g, {at.rows, at.channels}));
    const float* from = image.data();
    auto* to = data.mutable_data();
    const py::gil_scoped_release released;
    g.degrid(at, from, to);
    return data;
}

//! Weights in place: add, uniform or Briggs.
void weigh(imaging_weights& w,
           const doubles& uvw,
           const doubles& frequencies,
           py::array_t<float, py::array::c_style> weights,
           const std::string& how,
           double robust)
{
    const auto at = rows_of(uvw, frequencies);
    check_shape(weights, {at.rows, at.channels}, "weights");
    float* to = weights.mutable_data();
    const py::gil_scoped_release released;
    if (how == "uniform") {
        w.apply_uniform(at, to);
    } else {
        w.apply_briggs(at, robust, to);
    }
}

std::pair<values, doubles> dump_phases(const observation& obs,
                                       std::size_t channels,
                                       bool complex_samples,
                                       double ra,
                                       double dec,
                                       const epoch& t)
{
    io::visibility_file_params params;
    params.observation = obs;
    params.channels = channels;
    params.complex_samples = complex_samples;
    const io::baseline_layout layout(obs, "dump");
    io::phased_rows rows(params, layout, io::baseline_pairing::first_minus_second);
    const auto axes = array::axes_of_radec(ra, dec, t, array::orientation_of(obs, t));
    rows.begin(axes, 1.0);
    const std::size_t antennas = obs.antennas.size();
    values phases({channels, antennas});
    std::copy(rows.phasors().begin(), rows.phasors().end(), phases.mutable_data());
    doubles uvw({antennas, std::size_t(3)});
    const auto places = array::antenna_uvw(obs, axes);
    for (std::size_t a = 0; a < antennas; a++) {
        for (std::size_t k = 0; k < 3; k++) {
            uvw.mutable_at(a, k) = places[a][k] - places[0][k];
        }
    }
    return {phases, uvw};
}

} // namespace

void bind_images(py::module& m)
{
    py::class_<gridder>(
        m,
        "gridder",
        "Images from visibilities, and back: "
        "I(l, m) += Re sum W V exp(-2 pi i (u l + v m + w (n - 1))).\n\n"
        "Pixel [row][column] lies at l = (column - columns // 2) pixel_l, "
        "m = (row - rows // 2) pixel_m. method: separable (rms error "
        "epsilon), w_projection (kernels of `support` cells and w_planes planes, 0 = "
        "what "
        "the image needs; interpolate: rms error 5e-4 instead of several percent) or "
        "direct "
        "(exact). backend: cpu, generic, cuda or auto. polarizations: 2 or 4 images "
        "together, "
        "which saves W-projection time; every array has an axis for them then, in front "
        "of "
        "the others. half_precision lets a GPU's tensor cores take 4 polarizations of "
        "small "
        "fields: another rms error of 3e-4. devices: several of these backends instead, "
        "\"cuda:0\", \"cuda:1\" say, which share the rows of every call.",
        explained())
        .def(py::init(&make),
             py::arg("columns"),
             py::arg("rows"),
             py::arg("pixel_l"),
             py::arg("pixel_m"),
             py::arg("epsilon") = 1e-4,
             py::arg("w_term") = true,
             py::arg("method") = "separable",
             py::arg("backend") = "cpu",
             py::arg("support") = 0,
             py::arg("w_planes") = 0,
             py::arg("interpolate") = true,
             py::arg("half_precision") = false,
             py::arg("polarizations") = 1,
             py::arg("devices") = std::vector<std::string>())
        .def("grid",
             &grid,
             "Adds visibilities [row][channel], uvw [row][3] in meters, to an image.",
             py::arg("uvw"),
             py::arg("frequencies"),
             py::arg("data"),
             py::arg("weights"),
             py::arg("image").noconvert())
        .def("degrid",
             &degrid,
             "Visibilities [row][channel] of an image.",
             py::arg("uvw"),
             py::arg("frequencies"),
             py::arg("image"));

    py::class_<imaging_weights>(m,
                                "imaging_weights",
                                "Uniform and Briggs weights for the image of a gridder.",
                                explained())
        .def(py::init([](const gridder& g) { return imaging_weights(g.params()); }),
             py::arg("gridder"))
        .def(
            "add",
            [](imaging_weights& w,
               const doubles& uvw,
               const doubles& frequencies,
               const floats& weights) {
                const auto at = rows_of(uvw, frequencies);
                check_shape(weights, {at.rows, at.channels}, "weights");
                w.add(at, weights.data());
            },
            "Counts visibilities.",
            py::arg("uvw"),
            py::arg("frequencies"),
            py::arg("weights"))
        .def("apply",
             &weigh,
             "Changes weights in place; how: uniform or briggs.",
             py::arg("uvw"),
             py::arg("frequencies"),
             py::arg("weights").noconvert(),
             py::arg("how"),
             py::arg("robust") = 0.0);

    m.def("_dump_phases",
          &dump_phases,
          "What the visibilities of a dump are multiplied by to be phased to ICRS (ra, "
          "dec), [channel][antenna] (conjugate for the second antenna), and uvw in "
          "meters, [antenna][3], as visibility files have them.",
          py::arg("observation"),
          py::arg("channels"),
          py::arg("complex_samples"),
          py::arg("ra"),
          py::arg("dec"),
          py::arg("time"));

    m.def(
        "fits_image",
        [](const floats& image,
           const std::vector<io::fits_key>& keys,
           const std::vector<std::string>& history) {
            std::vector<long> axes(image.shape(), image.shape() + image.ndim());
            std::reverse(axes.begin(), axes.end());
            return py::bytes(io::fits_image(axes, image.data(), keys, history));
        },
        "The bytes of a FITS file of float32: keys (name, value), lines of history.",
        py::arg("image"),
        py::arg("keys"),
        py::arg("history"));
}
