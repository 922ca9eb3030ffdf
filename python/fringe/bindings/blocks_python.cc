/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "header_docs.h"
#include "kernels/base/memory.h"
#include "kernels/channelizer/prototype.h"
#include "kernels/channelizer/wisdom.h"
#include <gnuradio/fringe/baseline_select.h>
#include <gnuradio/fringe/channelizer.h>
#include <gnuradio/fringe/corner_turn.h>
#include <gnuradio/fringe/dump_join.h>
#include <gnuradio/fringe/file_source.h>
#include <gnuradio/fringe/fx_engine.h>
#include <gnuradio/fringe/integrator.h>
#include <gnuradio/fringe/raw_broadcast.h>
#include <gnuradio/fringe/sum_join.h>
#include <gnuradio/fringe/threads.h>
#include <gnuradio/fringe/unpack.h>
#include <gnuradio/fringe/visibility_sink.h>
#include <gnuradio/fringe/xengine.h>
#include <pybind11/complex.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

namespace {

void bind_sources(py::module& m)
{
    py::class_<file_source, gr::block, gr::basic_block, std::shared_ptr<file_source>>(
        m, "file_source", docs::file_source, explained())
        .def(py::init(&file_source::make),
             docs::file_source_make,
             py::arg("paths"),
             py::arg("format"),
             py::arg("inputs"),
             py::arg("block_samples"),
             py::arg("sample_rate") = 0.0,
             py::arg("center_frequency") = 0.0,
             py::arg("start_time") = "",
             py::arg("start_samples") = std::vector<std::uint64_t>{0},
             py::arg("samples") = 0,
             py::arg("repeat") = false,
             py::arg("prefer") = "",
             py::arg("allow_gaps") = false,
             py::arg("item_samples") = 0)
        .def("inputs", &file_source::inputs)
        .def("encoding", &file_source::encoding)
        .def("parts", &file_source::parts)
        .def("samples_missing", &file_source::samples_missing)
        .def("samples_invalid", &file_source::samples_invalid)
        .def("losses", &file_source::losses)
        .def("sample_rate", &file_source::sample_rate)
        .def("center_frequency", &file_source::center_frequency)
        .def("has_start_time", &file_source::has_start_time)
        .def("start_time", &file_source::start_time)
        .def("total_samples", &file_source::total_samples)
        .def("samples_read", &file_source::samples_read)
        .def("error", &file_source::error)
        .def("finish", &file_source::finish);
    m.def("gpu_item_spectra",
          &gpu_item_spectra,
          py::arg("format"),
          py::arg("inputs"),
          py::arg("points"),
          py::arg("block_spectra"));

    py::class_<unpack, gr::block, gr::basic_block, std::shared_ptr<unpack>>(
        m, "unpack", docs::unpack, explained())
        .def(py::init(&unpack::make),
             docs::unpack_make,
             py::arg("format"),
             py::arg("inputs"),
             py::arg("block_samples"),
             py::arg("component") = "auto",
             py::arg("files") = 1,
             py::arg("streams") = std::vector<std::size_t>{},
             py::arg("backend") = "auto",
             py::arg("mean_blocks") = 0,
             py::arg("item_samples") = 0)
        .def_static("make_turns",
                    &unpack::make_turns,
                    py::arg("format"),
                    py::arg("inputs"),
                    py::arg("block_samples"),
                    py::arg("files"),
                    py::arg("streams"),
                    py::arg("backends"),
                    py::arg("kept_samples"),
                    py::arg("item_samples") = 0,
                    py::arg("component") = "auto")
        .def("losses", &unpack::losses);
}

void bind_several_devices(py::module& m)
{
    py::class_<raw_broadcast, gr::block, gr::basic_block, std::shared_ptr<raw_broadcast>>(
        m, "raw_broadcast", docs::raw_broadcast, explained())
        .def(py::init(&raw_broadcast::make),
             docs::raw_broadcast_make,
             py::arg("item_bytes"),
             py::arg("devices"));
    m.def("devices_reach_each_other", &devices_reach_each_other, py::arg("devices"));

    py::class_<corner_turn, gr::block, gr::basic_block, std::shared_ptr<corner_turn>>(
        m, "corner_turn", docs::corner_turn, explained())
        .def(py::init(&corner_turn::make),
             docs::corner_turn_make,
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("block_spectra"),
             py::arg("component"),
             py::arg("devices"));

    py::class_<dump_join, gr::block, gr::basic_block, std::shared_ptr<dump_join>>(
        m, "dump_join", docs::dump_join, explained())
        .def(py::init(&dump_join::make),
             docs::dump_join_make,
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("channels_per_item"))
        .def_static("joined_channels",
                    &dump_join::joined_channels,
                    py::arg("channels"),
                    py::arg("channels_per_item"));

    py::class_<sum_join, gr::block, gr::basic_block, std::shared_ptr<sum_join>>(
        m, "sum_join", docs::sum_join, explained())
        .def(py::init(&sum_join::make),
             docs::sum_join_make,
             py::arg("parts"),
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("component"),
             py::arg("channels_per_item"));
}

void bind_engines(py::module& m)
{
    py::class_<channelizer, gr::block, gr::basic_block, std::shared_ptr<channelizer>>(
        m, "channelizer", docs::channelizer, explained())
        .def(py::init(&channelizer::make),
             docs::channelizer_make,
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("block_spectra") = 0,
             py::arg("complex_samples") = true,
             py::arg("component") = "f32",
             py::arg("taps") = 4,
             py::arg("window") = "hann",
             py::arg("requantize") = "none",
             py::arg("gains") = std::vector<float>{},
             py::arg("conjugate") = std::vector<bool>{},
             py::arg("corrections") = std::vector<std::complex<float>>{},
             py::arg("backend") = "auto",
             py::arg("tracking") = tracking::sptr(),
             py::arg("part") = std::pair<std::size_t, std::size_t>(0, 0))
        .def("saturated", &channelizer::saturated)
        .def("kept_samples", &channelizer::kept_samples)
        .def("set_corrections",
             &channelizer::set_corrections,
             py::arg("corrections"),
             py::arg("start") = epoch());

    py::class_<xengine, gr::block, gr::basic_block, std::shared_ptr<xengine>>(
        m, "xengine", docs::xengine, explained())
        .def(py::init(&xengine::make),
             docs::xengine_make,
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("block_spectra") = 0,
             py::arg("component") = "f32",
             py::arg("sum_spectra") = 4096,
             py::arg("dump_seconds") = 0.0,
             py::arg("dump_spectra") = 0,
             py::arg("channels_per_item") = 0,
             py::arg("backend") = "auto")
        .def("set_integration",
             &xengine::set_integration,
             py::arg("seconds") = 0.0,
             py::arg("spectra") = 0);

    py::class_<integrator, gr::block, gr::basic_block, std::shared_ptr<integrator>>(
        m, "integrator", docs::integrator, explained())
        .def(py::init(&integrator::make),
             docs::integrator_make,
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("component") = "f32",
             py::arg("seconds") = 1.0,
             py::arg("spectra") = 0,
             py::arg("channels_per_item") = 0,
             py::arg("backend") = "auto")
        .def("set_integration",
             &integrator::set_integration,
             py::arg("seconds") = 0.0,
             py::arg("spectra") = 0)
        .def("dumps", &integrator::dumps)
        .def("spectra_lost", &integrator::spectra_lost);
}

void bind_fx_engine(py::module& m)
{
    m.def("_fft_wisdom", &kernels::wisdom_text);
    m.def("_require_memory",
          &kernels::require_memory,
          py::arg("who"),
          py::arg("what"),
          py::arg("bytes"));
    m.def("_prefer_fft_wisdom", &kernels::prefer_wisdom, py::arg("text"));
    py::class_<fx_engine, gr::block, gr::basic_block, std::shared_ptr<fx_engine>>(
        m, "fx_engine", docs::fx_engine, explained())
        .def(py::init(&fx_engine::make),
             docs::fx_engine_make,
             py::arg("format"),
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("block_spectra") = 0,
             py::arg("taps") = 4,
             py::arg("window") = "hann",
             py::arg("requantize") = "none",
             py::arg("gains") = std::vector<float>{},
             py::arg("conjugate") = std::vector<bool>{},
             py::arg("corrections") = std::vector<std::complex<float>>{},
             py::arg("files") = 1,
             py::arg("streams") = std::vector<std::size_t>{},
             py::arg("dump_seconds") = 0.0,
             py::arg("dump_spectra") = 0,
             py::arg("channels_per_item") = 0,
             py::arg("tracking") = tracking::sptr(),
             py::arg("flag") = std::optional<kurtosis_search>(),
             py::arg("backend") = "cpu",
             py::arg("recording") = file_source::sptr(),
             py::arg("threads") = 0,
             py::arg("mean_blocks") = 0,
             py::arg("pulses") = std::optional<pulse_search>())
        .def("set_integration",
             &fx_engine::set_integration,
             py::arg("seconds") = 0.0,
             py::arg("spectra") = 0)
        .def("set_corrections",
             &fx_engine::set_corrections,
             py::arg("corrections"),
             py::arg("start") = epoch())
        .def("recorded_dumps", &fx_engine::recorded_dumps)
        .def("dumps_together", &fx_engine::dumps_together)
        .def("select_dumps", &fx_engine::select_dumps, py::arg("first"), py::arg("end"))
        .def("losses", &fx_engine::losses)
        .def("saturated", &fx_engine::saturated)
        .def("searched", &fx_engine::searched)
        .def("flagged", &fx_engine::flagged)
        .def("cells", &fx_engine::cells);
}

void bind_sinks(py::module& m)
{
    py::class_<visibility_sink,
               gr::sync_block,
               gr::block,
               gr::basic_block,
               std::shared_ptr<visibility_sink>>(
        m, "visibility_sink", docs::visibility_sink, explained())
        .def(py::init(&visibility_sink::make),
             docs::visibility_sink_make,
             py::arg("obs"),
             py::arg("path"),
             py::arg("channels"),
             py::arg("complex_samples") = true,
             py::arg("channels_per_item") = 0,
             py::arg("overwrite") = false,
             py::arg("history") = "",
             py::arg("roll_seconds") = 0.0,
             py::arg("products") = "all",
             py::arg("smearing_loss") = 0.0,
             py::arg("field_radius") = 0.0,
             py::arg("longest_average") = 60.0,
             py::arg("satellite") = "",
             py::arg("keep_edge") = false,
             py::arg("flag_dc") = false)
        .def("dumps", &visibility_sink::dumps)
        .def("error", &visibility_sink::error)
        // They wait while a file is opened: without the lock of Python, which other blocks need.
        .def("path", &visibility_sink::path, py::call_guard<py::gil_scoped_release>())
        .def("files", &visibility_sink::files, py::call_guard<py::gil_scoped_release>())
        .def("set_last_words", &visibility_sink::set_last_words, py::arg("words"))
        .def("fail", &visibility_sink::fail, py::arg("why"))
        .def("begin_new_file", &visibility_sink::begin_new_file)
        .def("set_writing", &visibility_sink::set_writing, py::arg("writes"))
        .def("writing", &visibility_sink::writing)
        .def("dump_age", &visibility_sink::dump_age)
        .def("dump_time", &visibility_sink::dump_time)
        .def("fill", &visibility_sink::fill, py::call_guard<py::gil_scoped_release>());

    py::class_<baseline_select,
               gr::block,
               gr::basic_block,
               std::shared_ptr<baseline_select>>(
        m, "baseline_select", docs::baseline_select, explained())
        .def(py::init(&baseline_select::make),
             docs::baseline_select_make,
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("i") = 0,
             py::arg("j") = 1,
             py::arg("normalize") = false,
             py::arg("channels_per_item") = 0)
        .def("set_baseline", &baseline_select::set_baseline, py::arg("i"), py::arg("j"));
}

} // namespace

void bind_blocks(py::module& m)
{
    bind_sources(m);
    bind_engines(m);
    bind_several_devices(m);
    bind_fx_engine(m);
    bind_sinks(m);
    m.def("channels_per_item",
          &channels_per_item,
          "Channels in one item of visibilities of the given inputs and channels.",
          py::arg("inputs"),
          py::arg("channels"));
    m.def(
        "set_threads",
        &set_threads,
        "Threads that a channelizer or X-engine made from now on may keep busy; 0 (as at "
        "the start): one per core. The results do not depend on it.",
        py::arg("count"));
    m.def("threads", &threads, "As set by set_threads, or the number of cores.");
    m.def("check_threads",
          &check_threads,
          "Starts `count` threads and ends them; RuntimeError where the system refuses.",
          py::arg("count"));
    m.def("prototype",
          &kernels::prototype,
          "The coefficients of a channelizer's filter, [taps * points].",
          py::arg("points"),
          py::arg("taps"),
          py::arg("window"));
    m.def("window_names",
          &kernels::window_names,
          "Names of the windows that a channelizer can have.");
    m.def("block_spectra",
          &block_spectra,
          "Spectra in one time block of the given inputs and channels: about half a "
          "megabyte, from 16 inputs on a whole one.",
          py::arg("inputs"),
          py::arg("channels"));
    m.def("gpu_block_spectra",
          &gpu_block_spectra,
          "The same for a GPU: about 4 million samples of all inputs, 8 million from 16 "
          "inputs on, in whole 128 spectra.",
          py::arg("inputs"),
          py::arg("channels"));
}
