/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "header_docs.h"
#include "io/live/kraken_frame.h"
#include "io/packets/packet_parser.h"
#include "io/packets/packet_presets.h"
#include <gnuradio/fringe/packet_sink.h>
#include <gnuradio/fringe/stack.h>
#include <gnuradio/fringe/tcp_source.h>
#include <gnuradio/fringe/udp_source.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

namespace {

py::object parsed(io::packet_layout layout, const std::string& packet)
{
    constexpr std::size_t any = std::size_t(1) << 48;
    layout.sources.clear();
    io::packet_parser parser(layout, any);
    const auto p =
        parser.parse(reinterpret_cast<const std::uint8_t*>(packet.data()), packet.size());
    // A packet of spectra whose channels are not received is one of the layout, too.
    if (p.what != io::parsed_packet::outcome::good &&
        !(p.what == io::parsed_packet::outcome::foreign && p.channel >= 0)) {
        return py::none();
    }
    py::dict described;
    described["source"] = p.source;
    if (layout.spectra()) {
        described["channel"] = p.channel;
    }
    described["time"] = layout.instant(layout.epoch.value_or(epoch()), p.time).iso(9);
    described["frequency"] = p.frequency;
    return described;
}

const std::uint8_t* bytes_of(const std::string& text)
{
    return reinterpret_cast<const std::uint8_t*>(text.data());
}

// The block that receives them is Python: receiving/kraken_source.py.
void bind_kraken(py::module& m)
{
    using io::kraken_frame;
    py::class_<kraken_frame>(m, "_kraken_frame")
        .def_readonly("version", &kraken_frame::version)
        .def_readonly("channels", &kraken_frame::channels)
        .def_readonly("samples", &kraken_frame::samples)
        .def_readonly("left_out", &kraken_frame::left_out)
        .def_readonly("frequency", &kraken_frame::frequency)
        .def_readonly("sample_rate", &kraken_frame::sample_rate)
        .def_readonly("gains", &kraken_frame::gains)
        .def_readonly("overdriven", &kraken_frame::overdriven)
        .def_readonly("milliseconds", &kraken_frame::milliseconds)
        .def_readonly("number", &kraken_frame::number)
        .def_readonly("delays_aligned", &kraken_frame::delays_aligned)
        .def_readonly("phases_aligned", &kraken_frame::phases_aligned)
        .def_readonly("hardware", &kraken_frame::hardware)
        .def_property_readonly("payload_bytes", &kraken_frame::payload_bytes)
        .def_static("bytes_of_header",
                    [](unsigned version, const py::bytes& bytes, const std::string& who) {
                        const std::string text = bytes;
                        return kraken_frame::bytes_of_header(
                            version, bytes_of(text), text.size(), who);
                    })
        .def_static(
            "read", [](unsigned version, const py::bytes& bytes, const std::string& who) {
                const std::string text = bytes;
                return kraken_frame::read(version, bytes_of(text), text.size(), who);
            });
}

void bind_packet_sink(py::module& m)
{
    py::class_<packet_sink,
               gr::sync_block,
               gr::block,
               gr::basic_block,
               std::shared_ptr<packet_sink>>(
        m, "packet_sink", docs::packet_sink, explained())
        .def(py::init(&packet_sink::make),
             docs::packet_sink_make,
             py::arg("addresses"),
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("block_spectra") = 0,
             py::arg("layout") = "spead",
             py::arg("requantize") = "8",
             py::arg("complex_samples") = true,
             py::arg("packet_channels") = 0,
             py::arg("spectra") = 0,
             py::arg("first_input") = 0,
             py::arg("all_inputs") = 0,
             py::arg("first_channel") = 0,
             py::arg("sync_time") = "",
             py::arg("speed") = 1.25,
             py::arg("interface") = "",
             py::arg("hops") = 1,
             py::arg("gain") = 0.0)
        .def_static("vdif",
                    &packet_sink::make_vdif,
                    docs::packet_sink_make_vdif,
                    py::arg("addresses"),
                    py::arg("encoding"),
                    py::arg("inputs"),
                    py::arg("block_samples"),
                    py::arg("files") = 1,
                    py::arg("frame_bytes") = 0,
                    py::arg("first_input") = 0,
                    py::arg("station") = 0,
                    py::arg("speed") = 1.25,
                    py::arg("interface") = "",
                    py::arg("hops") = 1)
        .def("packets", &packet_sink::packets)
        .def("packet_bytes", &packet_sink::packet_bytes)
        .def("packet_channels", &packet_sink::packet_channels)
        .def("packet_spectra", &packet_sink::packet_spectra)
        .def("error", &packet_sink::error);
}

void bind_packets(py::module& m)
{
    py::class_<udp_source, gr::block, gr::basic_block, std::shared_ptr<udp_source>>(
        m, "udp_source", docs::udp_source, explained())
        .def(py::init(&udp_source::make),
             docs::udp_source_make,
             py::arg("addresses"),
             py::arg("inputs"),
             py::arg("block_samples"),
             py::arg("preset"),
             py::arg("settings") = std::map<std::string, std::string>(),
             py::arg("center_frequency") = 0.0,
             py::arg("interface") = "",
             py::arg("senders") = std::vector<std::string>(),
             py::arg("samples") = 0,
             py::arg("window_seconds") = 0.05,
             py::arg("buffer_seconds") = 0.5,
             py::arg("socket_bytes") = std::size_t(64) << 20,
             py::arg("engine") = "auto",
             py::arg("threads") = 1,
             py::arg("cores") = std::vector<unsigned>())
        .def("inputs", &udp_source::inputs)
        .def("encoding", &udp_source::encoding)
        .def("parts", &udp_source::parts)
        .def("channels", &udp_source::channels)
        .def("sample_rate", &udp_source::sample_rate)
        .def("ports", &udp_source::ports)
        .def("samples_read", &udp_source::samples_read)
        .def("total_samples", &udp_source::total_samples)
        .def("packets", &udp_source::packets)
        .def("fill", &udp_source::fill)
        .def("stretches", &udp_source::stretches)
        .def("losses", &udp_source::losses)
        .def("error", &udp_source::error)
        .def("warnings", &udp_source::warnings)
        .def("finish", &udp_source::finish);

    bind_packet_sink(m);
    bind_kraken(m);

    py::class_<io::packet_layout>(m,
                                  "packet_layout",
                                  "A packet of voltages or spectra, see docs/packets.md.",
                                  explained())
        .def(py::init(&io::packet_layout_of),
             "Of a preset, or of a YAML file by its path; settings: texts by name.",
             py::arg("preset"),
             py::arg("settings") = std::map<std::string, std::string>())
        .def_readonly("name", &io::packet_layout::name)
        .def_readonly(
            "streams", &io::packet_layout::streams, "Inputs that one packet holds.")
        .def_readonly("samples", &io::packet_layout::samples, "Of each, in a packet.")
        .def_readonly("stream_major",
                      &io::packet_layout::stream_major,
                      "True when time runs faster in a packet than its inputs.")
        .def_property_readonly("packet_bytes", &io::packet_layout::packet_bytes)
        .def_property_readonly("sample_rate", &io::packet_layout::sample_rate, "Hz")
        .def_property_readonly(
            "has_frequency",
            [](const io::packet_layout& l) { return l.frequency.has_value(); })
        .def(
            "parse",
            [](const io::packet_layout& l, const py::bytes& bytes) {
                return parsed(l, std::string(bytes));
            },
            "What the header of a packet says: source, time (ISO 8601, of a counter's "
            "first turn), frequency (Hz), and channel, the first one of a packet of "
            "spectra; None where it is no whole packet of the layout.")
        .def_property_readonly("spectra",
                               &io::packet_layout::spectra,
                               "True when packets have spectra, False for samples.")
        .def_readonly("channels",
                      &io::packet_layout::channels,
                      "In a packet of spectra; 0 = it has samples.")
        .def_readonly("all_channels",
                      &io::packet_layout::all_channels,
                      "Channels of the spectra that are received.")
        .def_property_readonly("center_frequency",
                               &io::packet_layout::center_frequency,
                               "Hz, of the channels that are received; 0 = not known")
        .def_property_readonly(
            "has_epoch", [](const io::packet_layout& l) { return l.epoch.has_value(); })
        .def_property_readonly(
            "encoding", [](const io::packet_layout& l) { return l.wire->encoding; });
    m.def(
        "packet_presets",
        [] {
            std::vector<std::pair<std::string, std::string>> all;
            for (const io::packet_preset& preset : io::packet_presets()) {
                all.emplace_back(preset.name, preset.summary);
            }
            return all;
        },
        "Names and summaries of the packet layouts there are.");
}

} // namespace

void bind_live(py::module& m)
{
    py::class_<stack, gr::block, gr::basic_block, std::shared_ptr<stack>>(
        m, "stack", docs::stack, explained())
        .def(py::init(&stack::make),
             docs::stack_make,
             py::arg("inputs"),
             py::arg("block_samples"),
             py::arg("sample_rate") = 0.0,
             py::arg("center_frequency") = 0.0,
             py::arg("start_time") = "now",
             py::arg("complex_samples") = true)
        .def("samples_sent", &stack::samples_sent)
        .def("samples_missing", &stack::samples_missing)
        .def("samples_late", &stack::samples_late)
        .def("losses", &stack::losses)
        .def("error", &stack::error);

    py::class_<tcp_source, gr::block, gr::basic_block, std::shared_ptr<tcp_source>>(
        m, "tcp_source", docs::tcp_source, explained())
        .def(py::init(&tcp_source::make),
             docs::tcp_source_make,
             py::arg("addresses"),
             py::arg("block_samples"),
             py::arg("sample_rate"),
             py::arg("center_frequency") = 0.0,
             py::arg("listen") = true,
             py::arg("start_time") = "now",
             py::arg("buffer_seconds") = 1.0)
        .def("inputs", &tcp_source::inputs)
        .def("ports", &tcp_source::ports)
        .def("connected", &tcp_source::connected)
        .def("samples_read", &tcp_source::samples_read)
        .def("samples_missing", &tcp_source::samples_missing)
        .def("samples_dropped", &tcp_source::samples_dropped)
        .def("losses", &tcp_source::losses)
        .def("finish", &tcp_source::finish);

    bind_packets(m);
}
