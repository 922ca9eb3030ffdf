/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "blocks/dumps/dump_imager_block.h"
#include "stages/choose_target.h"
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

namespace {

constexpr int plain = py::array::c_style | py::array::forcecast;
template <class T>
using array_of = py::array_t<T, plain>;

//! A function of Python for threads of GNU Radio, which do not hold the interpreter's lock.
class python_function
{
public:
    explicit python_function(py::function f)
        : d_function(new py::function(std::move(f)), [](py::function* p) {
              const py::gil_scoped_acquire lock;
              delete p;
          })
    {
    }
    //! Gives what it returns to `take`. What it raises becomes a runtime_error.
    template <class Take, class... T>
    auto call(const Take& take, const T&... arguments) const
    {
        const py::gil_scoped_acquire lock;
        try {
            return take((*d_function)(arguments...));
        } catch (const py::error_already_set& e) {
            throw std::runtime_error(
                e.matches(PyExc_ValueError) ? std::string(py::str(e.value())) : e.what());
        }
    }

private:
    std::shared_ptr<py::function> d_function;
};

//! The arguments of a function of Python that describe a dump.
py::dict described(const dump_imager_block::dump_of& d)
{
    py::dict all;
    all["seconds"] = d.tags.start.seconds;
    all["fraction"] = d.tags.start.fraction();
    all["interval"] = d.tags.interval;
    all["timed"] = d.tags.timed;
    all["freq"] = d.tags.freq;
    all["channel_width"] = d.tags.channel_width;
    all["first"] = d.first;
    all["edge_channel"] = d.edge_channel;
    all["complex_samples"] = d.complex_samples;
    return all;
}

//! (uvw [antenna][3], turns [channel][antenna], up, left_out [channel]).
kernels::dump_geometry geometry_of(const py::object& made)
{
    const auto parts = made.cast<py::tuple>();
    const auto uvw = parts[0].cast<array_of<double>>();
    const auto turns = parts[1].cast<array_of<std::complex<float>>>();
    const auto left_out = parts[3].cast<array_of<std::uint8_t>>();
    kernels::dump_geometry g;
    g.uvw.assign(uvw.data(), uvw.data() + uvw.size());
    g.turns.assign(turns.data(), turns.data() + turns.size());
    g.up = parts[2].cast<std::array<double, 3>>();
    g.left_out.assign(left_out.data(), left_out.data() + left_out.size());
    return g;
}

dump_imager_block::sptr make(std::size_t inputs,
                             std::size_t channels,
                             std::size_t antennas,
                             std::size_t side,
                             double pixel,
                             double epsilon,
                             const array_of<std::uint32_t>& rows,
                             const std::vector<kernels::image_plane>& planes,
                             const std::vector<std::array<std::size_t, 2>>& groups,
                             const std::vector<double>& frequencies,
                             std::size_t channels_per_item,
                             const std::string& backend,
                             py::function geometry,
                             py::function description)
{
    kernels::dump_imager_params p;
    p.image.columns = p.image.rows = side;
    p.image.pixel_l = p.image.pixel_m = pixel;
    p.image.epsilon = epsilon;
    p.image.polarizations = planes.size();
    p.inputs = inputs;
    p.channels = channels;
    p.antennas = antennas;
    for (py::ssize_t k = 0; k < rows.shape(0); k++) {
        p.rows.push_back({rows.at(k, 0), rows.at(k, 1)});
    }
    p.planes = planes;
    p.groups = groups;
    p.frequencies = frequencies;
    const python_function place(std::move(geometry)), describe(std::move(description));
    return dump_imager_block::make(
        p,
        channels_per_item,
        choose_target(backend),
        [=](const dump_imager_block::dump_of& d) {
            const py::gil_scoped_acquire lock;
            return place.call(geometry_of, described(d));
        },
        [=](const dump_imager_block::dump_of& d, const kernels::dump_weights& w) {
            const py::gil_scoped_acquire lock;
            return describe.call(
                [](const py::object& text) { return text.cast<std::string>(); },
                described(d),
                w.total,
                w.visibilities);
        });
}

} // namespace

void bind_dump_imager(py::module& m)
{
    py::class_<kernels::image_plane>(m, "_image_plane", explained())
        .def(py::init([](const std::vector<std::vector<std::int32_t>>& products,
                         const std::vector<std::vector<std::uint8_t>>& conjugated,
                         const std::vector<std::complex<float>>& factors,
                         bool mean) {
            kernels::image_plane plane;
            for (std::size_t k = 0; k < products.size(); k++) {
                plane.parts.push_back({products[k], conjugated.at(k), factors.at(k)});
            }
            plane.mean = mean;
            return plane;
        }));
    py::class_<dump_imager_block,
               gr::block,
               gr::basic_block,
               std::shared_ptr<dump_imager_block>>(
        m,
        "_dump_imager",
        "Images of dumps where these are: see gpu_imager.",
        explained())
        .def(py::init(&make),
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("antennas"),
             py::arg("side"),
             py::arg("pixel"),
             py::arg("epsilon"),
             py::arg("rows"),
             py::arg("planes"),
             py::arg("groups"),
             py::arg("frequencies"),
             py::arg("channels_per_item"),
             py::arg("backend"),
             py::arg("geometry"),
             py::arg("description"))
        .def("images", &dump_imager_block::images)
        .def("empty", &dump_imager_block::empty);
}
