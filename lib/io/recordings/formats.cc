/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording.h"
#include <map>
#include <mutex>

// The table, one line a format: NAME is made by format_NAME() in lib/io/recordings/formats/NAME.cc.
#define FRINGE_FORMATS(FORMAT)                                                           \
    FORMAT(i8)                                                                           \
    FORMAT(u8)                                                                           \
    FORMAT(i16)                                                                          \
    FORMAT(u16)                                                                          \
    FORMAT(f32)                                                                          \
    FORMAT(ci8)                                                                          \
    FORMAT(cu8)                                                                          \
    FORMAT(cu8_128)                                                                      \
    FORMAT(ci16)                                                                         \
    FORMAT(cf32)                                                                         \
    FORMAT(mwa16)                                                                        \
    FORMAT(mwa8)                                                                         \
    FORMAT(mwa32t)                                                                       \
    FORMAT(vdif)                                                                         \
    FORMAT(mark5b)                                                                       \
    FORMAT(dada)                                                                         \
    FORMAT(guppi)                                                                        \
    FORMAT(sigmf)                                                                        \
    FORMAT(file_meta)                                                                    \
    FORMAT(wav)                                                                          \
    FORMAT(gqrx)                                                                         \
    FORMAT(tart)

namespace gr::fringe::io {

#define FRINGE_DECLARE_FORMAT(NAME) recording_format format_##NAME();
FRINGE_FORMATS(FRINGE_DECLARE_FORMAT)
#undef FRINGE_DECLARE_FORMAT

const std::vector<const recording_format*>& formats()
{
#define FRINGE_MAKE_FORMAT(NAME) format_##NAME(),
    static const std::vector<recording_format> all{FRINGE_FORMATS(FRINGE_MAKE_FORMAT)};
#undef FRINGE_MAKE_FORMAT
    static const auto pointers = [] {
        std::vector<const recording_format*> p;
        for (const auto& f : all)
            p.push_back(&f);
        return p;
    }();
    return pointers;
}

namespace {

// The format that reads one coarse channel of another's files, made when first asked for.
const recording_format& format_of_channel(const std::string& name, std::size_t colon)
{
    const recording_format& all = format_by_name(name.substr(0, colon));
    const std::string number = name.substr(colon + 1);
    if (!all.has_coarse_channels || number.empty() || number.size() > 9 ||
        number.find_first_not_of("0123456789") != std::string::npos)
        throw std::invalid_argument(
            "format: '" + name +
            "': behind the colon is the number of a coarse channel, from 0, of a format "
            "that has some (dada:0, guppi:0)");
    static std::mutex mutex;
    static std::map<std::string, recording_format> made;
    std::lock_guard<std::mutex> lock(mutex);
    const auto [place, is_new] = made.emplace(name, all);
    if (is_new) {
        place->second.name = name;
        place->second.open = [&all, channel = std::stoul(number)](const std::string& path,
                                                                  recording_hints hints) {
            hints.coarse_channel = channel;
            return all.open(path, hints);
        };
    }
    return place->second;
}

} // namespace

const recording_format& format_by_name(const std::string& name)
{
    if (const auto colon = name.find(':'); colon != std::string::npos)
        return format_of_channel(name, colon);
    std::string names;
    for (const auto* f : formats()) {
        if (f->name == name)
            return *f;
        names += (names.empty() ? "" : ", ") + f->name;
    }
    throw std::invalid_argument("format: there is no recording format '" + name +
                                "'; there are " + names);
}

namespace {

std::vector<kernels::encoding> all_encodings()
{
    std::vector<kernels::encoding> encodings;
    for (const auto* f : formats()) {
        if (f->encoding.bits > 0)
            encodings.push_back(f->encoding);
        encodings.insert(
            encodings.end(), f->more_encodings.begin(), f->more_encodings.end());
    }
    return encodings;
}

} // namespace

const kernels::encoding& encoding_by_name(const std::string& name)
{
    static const auto all = all_encodings();
    std::string names;
    for (const auto& e : all) {
        if (e.name == name)
            return e;
        names += (names.empty() ? "" : ", ") + e.name;
    }
    throw std::invalid_argument("format: there is no encoding of samples '" + name +
                                "'; there are " + names);
}

const kernels::encoding& encoding_of(const recording_format& format,
                                     const recording_info& info)
{
    return info.encoding.empty() ? format.encoding : encoding_by_name(info.encoding);
}

} // namespace gr::fringe::io
