/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "clean_report_python.h"
#include "kernels/deconvolution/beam.h"
#include "stages/choose_target.h"
#include <algorithm>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe::kernels;

namespace {

constexpr int plain = py::array::c_style | py::array::forcecast;
using floats = py::array_t<float, plain>;
using bytes = py::array_t<std::uint8_t, plain>;

image_size size_of(const py::array& image, const std::string& what)
{
    if (image.ndim() != 2) {
        throw std::invalid_argument("CLEAN: " + what + " must be an array [row][column]");
    }
    return {std::size_t(image.shape(1)), std::size_t(image.shape(0))};
}

void check_same(const py::array& image, const image_size& size, const std::string& what)
{
    const auto found = size_of(image, what);
    if (found.columns != size.columns || found.rows != size.rows) {
        throw std::invalid_argument("CLEAN: " + what + " must be of the image's size");
    }
}

floats copy_of(const float* values, const image_size& size)
{
    floats out({size.rows, size.columns});
    std::copy_n(values, size.pixels(), out.mutable_data());
    return out;
}

py::tuple clean_image(const floats& dirty,
                      const floats& psf,
                      const bytes& use,
                      const py::object& make_residual,
                      const std::string& method,
                      double gain,
                      double major_gain,
                      std::size_t max_iterations,
                      double threshold,
                      double sigmas,
                      const std::string& which)
{
    clean_params p;
    p.where = gr::fringe::choose_target(which);
    p.how = minor_method_from_name(method);
    p.gain = gain;
    p.major_gain = major_gain;
    p.max_iterations = max_iterations;
    p.threshold = threshold;
    p.sigmas = sigmas;
    const auto size = size_of(dirty, "the dirty image");
    check_same(psf, size, "the point spread function");
    check_same(use, size, "the use of the pixels");
    floats residual = copy_of(dirty.data(), size);
    floats model({size.rows, size.columns});
    std::fill_n(model.mutable_data(), size.pixels(), 0.0f);
    residual_function major;
    if (!make_residual.is_none()) {
        major = [&](const float* components, float* to) {
            const py::gil_scoped_acquire held;
            const floats made = make_residual(copy_of(components, size));
            check_same(made, size, "the residual");
            std::copy_n(made.data(), size.pixels(), to);
        };
    }
    clean_report report;
    {
        float* left = residual.mutable_data();
        float* components = model.mutable_data();
        const float* response = psf.data();
        const std::uint8_t* pixels = use.data();
        const py::gil_scoped_release released;
        report = clean(p, size, response, pixels, left, components, major);
    }
    return py::make_tuple(model, residual, described(report));
}

py::object beam_of(const floats& psf, double pixel_l, double pixel_m)
{
    const auto size = size_of(psf, "the point spread function");
    const auto beam = fit_beam(size, psf.data(), pixel_l, pixel_m);
    if (!beam) {
        return py::none();
    }
    return py::make_tuple(beam->major, beam->minor, beam->angle);
}

floats restored(const floats& model,
                const floats& residual,
                const std::tuple<double, double, double>& beam,
                double pixel_l,
                double pixel_m)
{
    const auto size = size_of(model, "the model");
    check_same(residual, size, "the residual");
    floats image = copy_of(residual.data(), size);
    const gaussian_beam gaussian{std::get<0>(beam), std::get<1>(beam), std::get<2>(beam)};
    restore(size, model.data(), gaussian, pixel_l, pixel_m, image.mutable_data());
    return image;
}

} // namespace

void bind_deconvolution(py::module& m)
{
    m.def("clean",
          &clean_image,
          "CLEAN of a dirty image [row][column]: (model, residual, report).\n\n"
          "psf: of the same size, 1 at its center; use: 0 for pixels that do not count, "
          "1 for "
          "those that count for the noise, 2 for those that may hold components, too; "
          "make_residual: the image of the visibilities minus those of a model, or None: "
          "no "
          "major cycles; method: clark or hogbom. It ends at max_iterations, or where "
          "nothing is "
          "above threshold and sigmas standard deviations of the residual. The report's "
          "end: "
          "threshold, iterations, stalled or diverged. backend: where the minor cycles "
          "run: cpu, cuda, cuda:1, generic (Hoegbom's loop) or auto.",
          py::arg("dirty"),
          py::arg("psf"),
          py::arg("use"),
          py::arg("make_residual") = py::none(),
          py::arg("method") = "clark",
          py::arg("gain") = 0.1,
          py::arg("major_gain") = 0.8,
          py::arg("max_iterations") = 1000,
          py::arg("threshold") = 0.0,
          py::arg("sigmas") = 0.0,
          py::arg("backend") = "cpu");
    m.def(
        "fit_beam",
        &beam_of,
        "The Gaussian that fits the main lobe of a point spread function: (major, minor) "
        "widths at half maximum in direction cosines, position angle in radians; None "
        "where "
        "there is no fit.",
        py::arg("psf"),
        py::arg("pixel_l"),
        py::arg("pixel_m"));
    m.def("restore",
          &restored,
          "The model convolved with a beam (major, minor, angle), plus the residual.",
          py::arg("model"),
          py::arg("residual"),
          py::arg("beam"),
          py::arg("pixel_l"),
          py::arg("pixel_m"));
}
