/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recording.h"

// The table, one line a format: NAME is made by format_NAME() in lib/io/formats/NAME.cc.
#define FRINGE_FORMATS(FORMAT)                                                           \
    FORMAT(i8)                                                                           \
    FORMAT(u8)                                                                           \
    FORMAT(i16)                                                                          \
    FORMAT(u16)                                                                          \
    FORMAT(f32)                                                                          \
    FORMAT(ci8)                                                                          \
    FORMAT(cu8)                                                                          \
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
    FORMAT(tart)

namespace gr {
namespace fringe {
namespace io {

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

const recording_format& format_by_name(const std::string& name)
{
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

} // namespace io
} // namespace fringe
} // namespace gr
