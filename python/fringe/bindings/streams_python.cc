/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "blocks/base/buffer_fills.h"
#include "blocks/base/guarded_block.h"
#include "blocks/compute/kernel_times.h"
#include "blocks/dumps/frequency_axis.h"
#include "blocks/live/live_start.h"
#include "blocks/ports/stream_tags.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

namespace {

using fields = std::map<std::string, std::string>;

stream_description description(const std::string& block,
                               const std::string& kind,
                               std::size_t item_bytes,
                               const fields& of)
{
    stream_description d;
    d.block = block;
    d.kind = kind;
    d.item_bytes = item_bytes;
    d.fields.insert(of.begin(), of.end());
    return d;
}

} // namespace

void bind_streams(py::module& m)
{
    // For the blocks that are written in Python: see streams.py.
    m.attr("_DATED_BY_CLOCK") = dated_by_clock;
    m.def("_stream_tag",
          [](const std::string& block,
             const std::string& kind,
             std::size_t item_bytes,
             const fields& of) {
              return description(block, kind, item_bytes, of).to_tag();
          });
    m.def("_stream_mismatch",
          [](const std::string& block,
             const std::string& kind,
             std::size_t item_bytes,
             const fields& of,
             const pmt::pmt_t& sent) {
              return mismatch(description(block, kind, item_bytes, of),
                              stream_description::from_tag(sent));
          });
    m.def("_axis_contradiction",
          [](const observation& obs,
             std::size_t channels,
             bool complex_samples,
             const std::string& block,
             std::optional<double> frequency,
             std::optional<double> width) {
              return frequency_axis(obs, channels, complex_samples)
                  .contradiction(block, frequency, width);
          });
    m.def("_report_failure",
          [](const std::shared_ptr<gr::basic_block>& b, const std::string& sentence) {
              report_failure(*b, sentence);
          });
    py::class_<buffer_fill>(m, "_buffer_fill")
        .def_readonly("from_", &buffer_fill::from)
        .def_readonly("to", &buffer_fill::to)
        .def_readonly("waiting", &buffer_fill::waiting)
        .def_readonly("room", &buffer_fill::room)
        .def_readonly("taken", &buffer_fill::taken);
    m.def("_buffer_fills", &buffer_fills, py::call_guard<py::gil_scoped_release>());
    m.def("_kernel_seconds", &kernel_seconds, py::call_guard<py::gil_scoped_release>());
    m.def("_failure", [](const std::shared_ptr<gr::basic_block>& b) {
        const auto block = std::dynamic_pointer_cast<gr::block>(b);
        if (!block) {
            throw std::invalid_argument("failure: " + b->alias() +
                                        " consists of other blocks; ask one of them");
        }
        return flowgraph_failure(*block);
    });
}
