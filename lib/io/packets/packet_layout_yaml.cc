/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/yaml_field.h"
#include "array/yaml_text.h"
#include "io/packets/packet_presets.h"
#include "io/packets/presets/f_engine.h"
#include <charconv>
#include <map>

namespace gr::fringe::io {

namespace {

using array::yaml_field;
using field_map = std::map<std::string, packet_field>;

// Decimal, or hexadecimal with 0x in front.
std::uint64_t whole(const yaml_field& f, std::uint64_t least, std::uint64_t maximum)
{
    const std::string text = f.text();
    const bool hex = text.compare(0, 2, "0x") == 0;
    const char* end = text.data() + text.size();
    std::uint64_t v = 0;
    const auto [at, error] =
        std::from_chars(text.data() + (hex ? 2 : 0), end, v, hex ? 16 : 10);
    if (error != std::errc() || at != end || v < least || v > maximum) {
        f.fail("is '" + text + "', and must be a whole number from " +
               std::to_string(least) + " to " + std::to_string(maximum));
    }
    return v;
}

std::uint64_t whole(const yaml_field& map,
                    const std::string& key,
                    std::uint64_t otherwise,
                    std::uint64_t least,
                    std::uint64_t maximum)
{
    const auto f = map.get(key);
    return f ? whole(*f, least, maximum) : otherwise;
}

std::uint64_t whole_rate(const yaml_field& f)
{
    const double hz = f.positive();
    if (hz < 1 || hz > 1e12 ||
        hz != static_cast<double>(static_cast<std::uint64_t>(hz))) {
        f.fail("must be a whole number of Hz, 1 to 1e12");
    }
    return static_cast<std::uint64_t>(hz);
}

packet_field read_field(const yaml_field& f, const std::string& name, bool spead)
{
    f.allow({"offset", "bytes", "endian", "shift", "bits", "item"});
    packet_field p;
    p.name = name;
    if (f.get("item")) {
        if (!spead) {
            f.fail("has an 'item', which packets with 'spead: true' have only");
        }
        p.item = static_cast<int>(whole(f.need("item"), 0, 0x7fff));
        p.width = 6;
    } else {
        p.offset = static_cast<unsigned>(whole(f.need("offset"), 0, 65506));
        p.width = static_cast<unsigned>(whole(f.need("bytes"), 1, 8));
        const auto endian = f.get("endian");
        p.little = endian && endian->choice({"big", "little"}) == "little";
    }
    const unsigned there = 8 * p.width;
    p.shift = static_cast<unsigned>(whole(f, "shift", 0, 0, there - 1));
    p.bits = static_cast<unsigned>(whole(f, "bits", there - p.shift, 1, there - p.shift));
    return p;
}

// The yaml_field knows values by their keys only; names of fields are the user's own.
std::vector<std::string> keys(const YAML::Node& map)
{
    std::vector<std::string> all;
    for (const auto& entry : map) {
        all.push_back(entry.first.as<std::string>(""));
    }
    return all;
}

const packet_field&
named(const yaml_field& where, const std::string& name, const field_map& fields)
{
    const auto found = fields.find(name);
    if (found == fields.end()) {
        where.fail("names '" + name + "', which is not one of 'fields'");
    }
    return found->second;
}

std::int64_t step_of(const yaml_field& f)
{
    const auto step = f.get("step");
    if (!step) {
        return 1;
    }
    const std::string text = step->text();
    std::int64_t v = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (error != std::errc() || at != text.data() + text.size()) {
        step->fail("is '" + text + "', and must be a whole number");
    }
    return v;
}

std::vector<packet_term> read_terms(const yaml_field& list, const field_map& fields)
{
    constexpr std::uint64_t maximum = std::uint64_t(1) << 62;
    std::vector<packet_term> terms;
    for (const yaml_field& f : list.items()) {
        f.allow({"field", "step", "first", "below", "wraps", "unit"});
        packet_term t;
        t.field = named(f, f.need("field").text(), fields);
        t.step = step_of(f);
        t.first = static_cast<std::int64_t>(whole(f, "first", 0, 0, maximum));
        t.limit = whole(f, "below", 0, 1, maximum);
        t.wraps = f.get("wraps") && f.need("wraps").flag();
        t.unit = static_cast<std::int64_t>(whole(f, "unit", 1, 1, maximum));
        terms.push_back(t);
    }
    if (terms.empty()) {
        list.fail("is empty; it must name a field at least");
    }
    return terms;
}

void read_time(const yaml_field& top, packet_layout& l, packet_settings& settings)
{
    if (!l.spectra()) {
        l.tick_rate = whole_rate(top.need("tick_rate"));
        l.ticks_per_sample = whole(top, "ticks_per_sample", 1, 1, 1000000000);
    }
    const auto given = top.get("epoch");
    l.epoch = settings.instant("epoch", given ? given->text() : "now");
    l.wraps = settings.wraps();
}

void read_samples(const yaml_field& top, packet_layout& l)
{
    l.samples = whole(top.need("samples"), 1, 524288);
    l.streams = whole(top, "streams", 1, 1, 65536);
    if (const auto axes = top.get("axes")) {
        std::string order;
        for (const yaml_field& item : axes->items()) {
            order += item.choice({"time", "stream"}) + " ";
        }
        if (order != "time stream " && order != "stream time ") {
            axes->fail("must be [time, stream] or [stream, time]");
        }
        l.stream_major = order == "stream time ";
    }
    std::vector<std::string> codes;
    for (const wire_samples& format : all_wire_samples()) {
        codes.push_back(format.name);
    }
    l.wire = &wire_samples_by_name(top.need("code").choice(codes));
}

// Without `packet_channels` a packet has samples; these fields are of spectra only.
const std::vector<std::string> of_spectra{
    "packet_channels", "points", "stations", "polarizations", "channel", "channel_zero"};

void refuse_spectra(const yaml_field& top)
{
    for (const std::string& name : of_spectra) {
        if (const auto f = top.get(name)) {
            f->fail("is of packets of spectra, which 'packet_channels' makes");
        }
    }
}

// The axes in their order; one that is not named has the size 1.
std::vector<payload_extent>
read_axes(const yaml_field& top, const packet_layout& l, std::size_t stations)
{
    const std::map<std::string, payload_extent> known{
        {"channel", {payload_axis::channel, l.channels}},
        {"time", {payload_axis::time, l.samples}},
        {"station", {payload_axis::station, stations}},
        {"polarization", {payload_axis::polarization, l.streams / stations}}};
    const yaml_field list = top.need("axes");
    std::map<std::string, payload_extent> left = known;
    std::vector<payload_extent> axes;
    for (const yaml_field& item : list.items()) {
        const std::string name =
            item.choice({"channel", "time", "station", "polarization"});
        if (left.erase(name) == 0) {
            item.fail("names the axis '" + name + "' twice");
        }
        axes.push_back(known.at(name));
    }
    for (const auto& [name, extent] : left) {
        if (extent.size > 1) {
            list.fail("does not name the axis '" + name + "', along which there are " +
                      std::to_string(extent.size) + " values");
        }
    }
    return axes;
}

void read_spectra(const yaml_field& top, packet_layout& l, packet_settings& settings)
{
    constexpr std::uint64_t maximum = 65536;
    for (const char* name : {"streams", "ticks_per_sample", "frequency"}) {
        if (const auto f = top.get(name)) {
            f->fail(
                "is of packets of samples, and 'packet_channels' makes these spectra");
        }
    }
    f_engine::set_channels(l,
                           settings,
                           {whole_rate(top.need("tick_rate")),
                            whole(top.need("points"), 1, std::uint64_t(1) << 26),
                            whole(top.need("packet_channels"), 1, maximum)});
    l.samples = whole(top, "samples", 1, 1, maximum);
    const std::size_t stations = whole(top, "stations", 1, 1, maximum);
    l.streams = stations * whole(top, "polarizations", 1, 1, maximum);
    const std::string code = top.need("code").choice({"ci4", "ci8", "cvdif4"});
    l.wire = &wire_samples_by_name(code);
    l.axes = read_axes(top, l, stations);
    std::optional<double> zero;
    if (const auto f = top.get("channel_zero")) {
        zero = f->number();
    }
    const auto set = settings.number("channel_zero");
    l.channel_zero = set ? set : zero;
}

} // namespace

packet_layout packet_layout_from_yaml(const std::string& text,
                                      const std::string& file,
                                      packet_settings& settings)
{
    YAML::Node node;
    try {
        node = array::load_yaml(text);
    } catch (const YAML::Exception& e) {
        throw std::invalid_argument(file + ": is not YAML: " + e.what());
    }
    const yaml_field top(node, file, "");
    top.allow({"header_bytes",
               "spead",
               "samples",
               "streams",
               "axes",
               "code",
               "fields",
               "must_be",
               "only",
               "source",
               "time",
               "tick_rate",
               "ticks_per_sample",
               "epoch",
               "invalid",
               "frequency",
               "packet_channels",
               "points",
               "stations",
               "polarizations",
               "channel",
               "channel_zero"});
    packet_layout l;
    l.name = file;
    l.spead = top.get("spead") && top.need("spead").flag();
    l.header_bytes = whole(top, "header_bytes", 8, 0, 65506);
    if (!l.spead) {
        top.need("header_bytes");
    }
    if (top.get("packet_channels")) {
        read_spectra(top, l, settings);
    } else {
        refuse_spectra(top);
        read_samples(top, l);
    }
    field_map fields;
    const yaml_field list = top.need("fields");
    for (const std::string& name : keys(node["fields"])) {
        fields[name] = read_field(list.need(name), name, l.spead);
    }
    if (const auto conditions = top.get("must_be")) {
        for (const std::string& name : keys(node["must_be"])) {
            l.must_be.push_back({named(*conditions, name, fields),
                                 whole(conditions->need(name), 0, ~std::uint64_t(0))});
        }
    }
    if (const auto choices = top.get("only")) {
        for (const std::string& name : keys(node["only"])) {
            const yaml_field value = choices->need(name);
            packet_choice c{named(*choices, name, fields), settings.whole(name)};
            if (!c.value && value.text() != "first") {
                c.value = whole(value, 0, ~std::uint64_t(0));
            }
            l.only.push_back(c);
        }
    }
    if (const auto source = top.get("source")) {
        l.source = read_terms(*source, fields);
    }
    if (l.spectra()) {
        l.channel = read_terms(top.need("channel"), fields);
    }
    l.time = read_terms(top.need("time"), fields);
    read_time(top, l, settings);
    if (const auto invalid = top.get("invalid")) {
        l.invalid = named(*invalid, invalid->text(), fields);
    }
    if (const auto frequency = top.get("frequency")) {
        frequency->allow({"field", "step"});
        l.frequency = named(*frequency, frequency->need("field").text(), fields);
        l.frequency_step =
            frequency->get("step") ? frequency->need("step").positive() : 1;
    }
    return l;
}

} // namespace gr::fringe::io
