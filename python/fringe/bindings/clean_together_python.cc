/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "clean_report_python.h"
#include "kernels/deconvolution/joint_minor.h"
#include "kernels/deconvolution/several_fields.h"
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
//! Images of each field, [image][row][column].
using fields = std::vector<floats>;

//! Copies of values that stand one after the other, in the shapes of some fields.
fields in_fields(const float* values, const fields& like)
{
    fields made;
    for (const auto& field : like) {
        floats copy(std::vector<py::ssize_t>(field.shape(), field.shape() + 3));
        std::copy_n(values, copy.size(), copy.mutable_data());
        values += copy.size();
        made.push_back(copy);
    }
    return made;
}

void check_fields(const fields& found, const fields& like, const std::string& what)
{
    bool same = found.size() == like.size();
    for (std::size_t k = 0; same && k < found.size(); k++) {
        same = found[k].ndim() == 3 &&
               std::equal(found[k].shape(), found[k].shape() + 3, like[k].shape());
    }
    if (!same) {
        throw std::invalid_argument("CLEAN: " + what +
                                    " must be arrays of the shapes of the dirty images");
    }
}

template <typename T>
std::vector<T> joined(const std::vector<py::array_t<T, plain>>& parts)
{
    std::vector<T> all;
    for (const auto& part : parts) {
        all.insert(all.end(), part.data(), part.data() + part.size());
    }
    return all;
}

std::vector<image_size>
sizes_of(const fields& dirty, const std::vector<bytes>& use, std::size_t images)
{
    std::vector<image_size> sizes;
    for (std::size_t k = 0; k < dirty.size(); k++) {
        if (dirty[k].ndim() != 3 || dirty[k].shape(0) != py::ssize_t(images)) {
            throw std::invalid_argument(
                "CLEAN: images of a field must be an array "
                "[image][row][column], one image for each weight");
        }
        if (use.size() != dirty.size() || use[k].ndim() != 2 ||
            !std::equal(use[k].shape(), use[k].shape() + 2, dirty[k].shape() + 1)) {
            throw std::invalid_argument("CLEAN: the use of the pixels must be an array "
                                        "[row][column] for each field");
        }
        sizes.push_back({std::size_t(dirty[k].shape(2)), std::size_t(dirty[k].shape(1))});
    }
    return sizes;
}

//! The scales that are not larger than a field; points, if all are larger.
std::vector<double> fitting(const std::vector<double>& scales, const image_size& size)
{
    std::vector<double> found;
    for (const double scale : scales) {
        if (!(scale > double(std::min(size.columns, size.rows)))) {
            found.push_back(scale);
        }
    }
    return found.empty() ? std::vector<double>{0} : found;
}

py::tuple clean_fields(const fields& dirty,
                       const fields& psf,
                       const std::vector<bytes>& use,
                       const py::object& make_residual,
                       const std::vector<double>& weights,
                       std::size_t planes,
                       const floats& functions,
                       const std::vector<double>& scales,
                       double scale_bias,
                       const std::string& method,
                       double gain,
                       double major_gain,
                       std::size_t max_iterations,
                       double threshold,
                       double sigmas,
                       const std::string& which)
{
    const auto how = minor_method_from_name(method);
    const auto where = gr::fringe::choose_target(which);
    const clean_params p{how, gain, major_gain, max_iterations, threshold, sigmas, where};
    joint_params joint{weights,
                       planes,
                       {functions.data(), functions.data() + functions.size()},
                       scales,
                       scale_bias};
    const auto sizes = sizes_of(dirty, use, weights.size());
    check_fields(psf, dirty, "point spread functions");
    residual_function major;
    if (!make_residual.is_none()) {
        major = [&](const float* components, float* to) {
            const py::gil_scoped_acquire held;
            const auto made = make_residual(in_fields(components, dirty)).cast<fields>();
            check_fields(made, dirty, "residuals");
            for (const auto& field : made) {
                to = std::copy_n(field.data(), field.size(), to);
            }
        };
    }
    auto residual = joined(dirty);
    std::vector<float> model(residual.size());
    const auto pixels = joined(use);
    const auto responses = joined(psf);
    clean_report report;
    {
        const py::gil_scoped_release released;
        std::vector<std::unique_ptr<minor_cycle>> parts;
        const float* response = responses.data();
        for (const auto& size : sizes) {
            // Shapes that are larger than an outlier field are sought in the first one.
            joint.scales = parts.empty() ? scales : fitting(scales, size);
            const bool points = joint.scales == std::vector<double>{0};
            parts.push_back(weights.size() == 1 && points
                                ? make_minor_cycle(where, how, size, response)
                                : make_joint_minor(joint, size, response));
            response += parts.back()->values();
        }
        const auto minor = make_several_fields(std::move(parts));
        const double sidelobe = sidelobe_of(minor->size(), minor->mean(responses.data()));
        report = clean(
            p, *minor, sidelobe, pixels.data(), residual.data(), model.data(), major);
    }
    return py::make_tuple(in_fields(model.data(), dirty),
                          in_fields(residual.data(), dirty),
                          described(report));
}

} // namespace

void bind_clean_together(py::module& m)
{
    m.def(
        "clean_together",
        &clean_fields,
        "CLEAN of dirty images of one sky whose components are at the same places, in "
        "one "
        "field or several: (models, residuals, report).\n\n"
        "dirty, psf, models, residuals: lists of fields, each an array "
        "[image][row][column]; use: of each field as clean() has it; make_residual: "
        "makes "
        "residuals of models; weights: of the images in their mean, whose noise and peak "
        "count; planes: of images, Stokes parameters "
        "say, which follow each other: components are sought in the root of the sum of "
        "the squares of their means; functions: [image][function], whose sums the fluxes "
        "of a component are, "
        "none: each image has its own; scales: diameters of the shapes of components in "
        "pixels, 0 = a point, where they are not larger than a field; scale_bias: of "
        "Offringa and Smirnov 2017, less than 1: small scales go first; method ... "
        "sigmas: as clean() has them; backend: where the minor cycles of one image run, "
        "whose components are points.",
        py::arg("dirty"),
        py::arg("psf"),
        py::arg("use"),
        py::arg("make_residual") = py::none(),
        py::arg("weights") = std::vector<double>{1},
        py::arg("planes") = 1,
        py::arg("functions") = floats(),
        py::arg("scales") = std::vector<double>{0},
        py::arg("scale_bias") = 0.6,
        py::arg("method") = "clark",
        py::arg("gain") = 0.1,
        py::arg("major_gain") = 0.8,
        py::arg("max_iterations") = 1000,
        py::arg("threshold") = 0.0,
        py::arg("sigmas") = 0.0,
        py::arg("backend") = "cpu");
}
