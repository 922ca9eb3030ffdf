/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What receiving/voltage_ring.py is made of, and a source for benchmarks.

#include "bindings.h"
#include "blocks/live/filled_source.h"
#include "blocks/live/ring_sink.h"
#include "blocks/live/ring_times.h"
#include "stages/item_ring.h"
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

namespace {

using bytes = py::array_t<std::uint8_t, py::array::c_style>;
using tag_values = std::map<std::string, pmt::pmt_t>;

void bind_item_ring(py::module& m)
{
    py::class_<item_ring, std::shared_ptr<item_ring>>(m, "_item_ring")
        .def(py::init<std::size_t, std::size_t, std::size_t, const std::string&>(),
             py::call_guard<py::gil_scoped_release>())
        .def("put",
             [](item_ring& ring, const bytes& items) {
                 if (static_cast<std::size_t>(items.size()) % ring.item_bytes()) {
                     throw py::value_error("items: are not whole");
                 }
                 const std::uint8_t* data = items.data();
                 const std::size_t count =
                     static_cast<std::size_t>(items.size()) / ring.item_bytes();
                 const py::gil_scoped_release released;
                 ring.put(data, count);
             })
        .def("ended", &item_ring::ended)
        .def("first", &item_ring::first)
        .def("next", &item_ring::next)
        .def("wait_for", &item_ring::wait_for, py::call_guard<py::gil_scoped_release>())
        .def("hold",
             [](py::object self, std::uint64_t number) -> py::object {
                 auto& ring = self.cast<item_ring&>();
                 const std::uint8_t* item = ring.hold(number);
                 if (!item) {
                     return py::none();
                 }
                 const auto size = static_cast<py::ssize_t>(ring.item_bytes());
                 bytes view(size, item, self); // of its memory, no copy
                 view.attr("flags").attr("writeable") = false;
                 return py::object(std::move(view));
             })
        .def("release",
             [](item_ring& ring, const bytes& item) { ring.release(item.data()); })
        .def_property_readonly("items", &item_ring::items);
}

void bind_times(py::module& m)
{
    py::class_<ring_run>(m, "_ring_run")
        .def_readonly("frequency", &ring_run::frequency)
        .def_readonly("axis", &ring_run::axis)
        .def_readonly("axis_start", &ring_run::axis_start);
    py::class_<ring_item>(m, "_ring_item")
        .def_readonly("start", &ring_item::start)
        .def_readonly("end", &ring_item::end)
        .def_readonly("run", &ring_item::run)
        .def_property_readonly("tags", [](const ring_item& its) {
            tag_values values;
            for (const gr::tag_t& t : its.tags) {
                values[pmt::symbol_to_string(t.key)] = t.value;
            }
            return values;
        });
    py::class_<ring_times, std::shared_ptr<ring_times>>(m, "_ring_times")
        .def(py::init<std::size_t, double>())
        .def("add",
             [](ring_times& times, std::uint64_t number, const tag_values& values) {
                 std::vector<gr::tag_t> tags;
                 for (const auto& [name, value] : values) {
                     tags.emplace_back();
                     tags.back().key = pmt::mp(name);
                     tags.back().value = value;
                 }
                 times.add(number, tags);
             })
        .def("forget", &ring_times::forget)
        .def("item", &ring_times::item)
        .def("oldest", &ring_times::oldest)
        .def("stretches", &ring_times::stretches)
        .def("find", &ring_times::find)
        .def("begins", &ring_times::begins);
}

void bind_sink(py::module& m)
{
    py::class_<ring_sink,
               gr::sync_block,
               gr::block,
               gr::basic_block,
               std::shared_ptr<ring_sink>>(m, "_ring_sink")
        .def(py::init([](const std::shared_ptr<item_ring>& ring,
                         const std::shared_ptr<ring_times>& times,
                         const std::string& kind,
                         const std::map<std::string, std::string>& of) {
            stream_fields fields;
            fields.insert(of.begin(), of.end());
            return gnuradio::make_block_sptr<ring_sink>(ring, times, kind, fields);
        }))
        .def("begin_dump", &ring_sink::begin_dump)
        .def("end_dump", &ring_sink::end_dump)
        .def("busy", &ring_sink::busy)
        .def("wait_for_dumps",
             &ring_sink::wait_for_dumps,
             py::call_guard<py::gil_scoped_release>())
        .def("publish", &ring_sink::publish);
}

// What benchmarks send into flowgraphs.
void bind_filled_source(py::module& m)
{
    const auto get = [](auto member) {
        return [member](const filled_source& source) { return source.now().*member; };
    };
    py::class_<filled_source,
               gr::sync_block,
               gr::block,
               gr::basic_block,
               std::shared_ptr<filled_source>>(m, "_filled_source")
        .def(py::init([](std::size_t item_bytes,
                         std::size_t ring,
                         double sample_rate,
                         const bytes& some,
                         std::size_t piece,
                         bool rewrite) {
            return gnuradio::make_block_sptr<filled_source>(
                item_bytes,
                ring,
                sample_rate,
                std::vector<std::uint8_t>(some.data(), some.data() + some.size()),
                piece,
                rewrite);
        }))
        .def("keep_time", &filled_source::keep_time)
        .def("end", &filled_source::end)
        .def("clear", &filled_source::clear)
        .def_property_readonly("items", get(&filled_source::state::items))
        .def_property_readonly("lost", get(&filled_source::state::lost))
        .def_property_readonly("began", get(&filled_source::state::began))
        .def_property_readonly("late", get(&filled_source::state::late))
        .def_property_readonly("gap", get(&filled_source::state::gap));
}

} // namespace

void bind_ring(py::module& m)
{
    bind_item_ring(m);
    bind_times(m);
    bind_sink(m);
    bind_filled_source(m);
}
