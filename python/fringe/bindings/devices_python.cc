/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "kernels/device/device_block.h"
#include "kernels/device/devices.h"
#include "kernels/device/paired_memory.h"
#include "memory_python.h"
#include "stages/choose_target.h"
#include <algorithm>
#include <chrono>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe::kernels;

namespace {

// GB/s of copies from pinned host memory to the device, the median of several.
double upload_rate(std::size_t bytes, const std::string& gpu)
{
    const compute_target where = gr::fringe::choose_target(gpu);
    if (where.kind != backend::cuda) {
        throw std::invalid_argument("upload_rate: backend '" + gpu + "' is no GPU");
    }
    const auto on = open_device(where.index);
    paired_memory<char> memory(on, bytes);
    std::vector<double> rates;
    for (int n = 0; n < 9; ++n) {
        const auto began = std::chrono::steady_clock::now();
        memory.upload(bytes);
        on->synchronize();
        const std::chrono::duration<double> took =
            std::chrono::steady_clock::now() - began;
        rates.push_back(static_cast<double>(bytes) / took.count() / 1e9);
    }
    std::nth_element(rates.begin(), rates.begin() + 4, rates.end());
    return rates[4];
}

// GB/s of copies that some call starts on all devices at once, the median of several.
template <class Start>
double rate_of(const std::vector<std::shared_ptr<device>>& all,
               std::size_t bytes,
               const Start& start)
{
    std::vector<double> rates;
    for (int n = 0; n < 9; ++n) {
        const auto began = std::chrono::steady_clock::now();
        start();
        for (const auto& on : all) {
            on->synchronize();
        }
        const std::chrono::duration<double> took =
            std::chrono::steady_clock::now() - began;
        rates.push_back(static_cast<double>(bytes) / took.count() / 1e9);
    }
    std::nth_element(rates.begin(), rates.begin() + 4, rates.end());
    return rates[4];
}

// What the links of some GPUs carry.
py::dict link_rates(const std::vector<std::string>& gpus, std::size_t bytes)
{
    std::vector<std::shared_ptr<device>> all;
    std::vector<paired_memory<char>> memory;
    std::vector<std::unique_ptr<device_block>> other;
    for (const std::string& gpu : gpus) {
        const compute_target where = gr::fringe::choose_target(gpu);
        if (where.kind != backend::cuda) {
            throw std::invalid_argument("link_rates: '" + gpu + "' is no GPU");
        }
        all.push_back(open_device(where.index));
        memory.emplace_back(all.back(), bytes);
        other.push_back(std::make_unique<device_block>(*all.back(), bytes));
    }
    std::vector<double> alone;
    for (std::size_t k = 0; k < all.size(); ++k) {
        alone.push_back(rate_of(all, bytes, [&] { memory[k].upload(bytes); }));
    }
    py::dict rates;
    rates["host"] = alone;
    rates["host_at_once"] = rate_of(all, all.size() * bytes, [&] {
        for (auto& here : memory) {
            here.upload(bytes);
        }
    });
    const auto from_next = [&](std::size_t k) {
        const std::size_t next = (k + 1) % all.size();
        all[k]->reaches(*all[next]);
        all[k]->copy_from(*all[next],
                          {other[k]->get<void>(), bytes},
                          {memory[next].there(), bytes},
                          bytes,
                          1);
    };
    rates["peer"] = rate_of(all, bytes, [&] { from_next(0); });
    rates["peer_at_once"] = rate_of(all, bytes, [&] {
        for (std::size_t k = 0; k < all.size(); ++k) {
            from_next(k);
        }
    });
    return rates;
}

} // namespace

void bind_devices(py::module& m)
{
    py::register_exception<device_error>(m, "device_error", PyExc_RuntimeError);
    py::class_<device_info>(
        m, "device_info", "One device (GPU) of this machine.", explained())
        .def_readonly("name", &device_info::name)
        .def_property_readonly(
            "capability",
            [](const device_info& d) { return py::make_tuple(d.major, d.minor); },
            "compute capability (major, minor)")
        .def_readonly("memory_bytes", &device_info::memory_bytes)
        .def_readonly(
            "refused", &device_info::refused, "why it cannot be used, empty when it can");
    m.def(
        "find_devices",
        [] {
            std::string why;
            auto found = find_devices(why);
            return py::make_tuple(found, why);
        },
        "Devices that the backend cuda can use, and a sentence on what is missing "
        "without any: (list of device_info, str).");
    m.def(
        "_free_memory",
        [](std::size_t index) { return open_device(index)->free_memory(); },
        "Bytes that are free now on the device of that number.",
        py::call_guard<py::gil_scoped_release>());
    py::class_<compute_target>(
        m,
        "compute_target",
        "Where a stage computes. compute_target(word) is what a word for the parameter "
        "`backend` stands for on this machine: \"auto\" is the first GPU that works, "
        "else "
        "the CPU, \"cuda\" that GPU, \"cuda:1\" GPU number 1, \"cpu\" and \"generic\" "
        "the "
        "CPU. Raises ValueError for other words, and for a GPU that is not there or "
        "cannot "
        "be used. str() gives the word back: \"cpu\", \"generic\", \"cuda:0\", ...",
        explained())
        .def(py::init(&gr::fringe::choose_target), py::arg("backend") = "auto")
        .def_property_readonly(
            "on_gpu",
            [](const compute_target& t) { return t.kind == backend::cuda; },
            "whether it is a GPU")
        .def_readonly("index", &compute_target::index, "the GPU's number, 0 on a CPU")
        .def("__str__", &compute_target::name)
        .def("__repr__",
             [](const compute_target& t) { return "compute_target('" + t.name() + "')"; })
        .def("__eq__",
             [](const compute_target& a, const compute_target& b) { return a == b; });
    m.def("link_rates",
          &link_rates,
          py::arg("gpus"),
          py::arg("bytes") = std::size_t(256) << 20,
          "GB/s of copies: 'host', from pinned host memory to each GPU alone; "
          "'host_at_once', to all together, their sum; 'peer', from the second to the "
          "first; 'peer_at_once', what each gets from the next one while all do");
    m.def("upload_rate",
          &upload_rate,
          py::arg("bytes") = std::size_t(256) << 20,
          py::arg("backend") = "cuda",
          "GB/s of a copy from pinned host memory to a GPU: what bounds a flowgraph "
          "there.");
    bind_memory(m);
}
