/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/lfile_writer.h"
#include "io/certificates/crc32c.h"
#include "io/visibilities/writers/lfile_description.h"
#include "io/visibilities/writers/writers.h"
#include "kernels/base/types.h"
#include <algorithm>
#include <cctype>
#include <gnuradio/fringe/flags.h>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

// Bytes that are turned and written at a time.
constexpr std::size_t block_bytes = 1u << 20;

// These files have no flags. A channel that must not be used in any dump has no values.
std::complex<float> valid_value(const dump& d, std::size_t at)
{
    const bool left_out = !d.flags.empty() && (d.flags[at] & bit(flag::band)) != 0;
    return d.weights[at] > 0 && !left_out ? d.visibilities[at] : 0;
}

// [channel][product] to [product][channel] for the products from `which` on, in tiles
// that stay in the first-level cache.
template <class T, class Convert>
void turn(const dump& d,
          const std::size_t* which,
          std::size_t count,
          std::size_t channels,
          T* to,
          Convert convert)
{
    constexpr std::size_t tile = 16;
    const std::size_t products = d.visibilities.size() / channels;
    for (std::size_t pt = 0; pt < count; pt += tile)
        for (std::size_t ct = 0; ct < channels; ct += tile)
            for (std::size_t p = pt; p < std::min(pt + tile, count); p++)
                for (std::size_t c = ct; c < std::min(ct + tile, channels); c++)
                    to[p * channels + c] =
                        convert(valid_value(d, c * products + which[p]));
}

// Of a name, without its dot and in capitals: the name of a column in the certificate.
std::string ending_of(const std::string& path)
{
    std::string ending = path.substr(path.rfind('.') + 1);
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) {
        return static_cast<char>(std::toupper(c));
    });
    return ending;
}

} // namespace

lfile_writer::lfile_writer(const std::vector<lfile_part>& parts,
                           const std::string& what,
                           const visibility_file_params& params)
    : d_params(params), d_parts(parts), d_certificate(params.history)
{
    constexpr auto kind = output_target::kind::file;
    for (const auto& part : parts)
        d_files.push_back({output_target(part.path, kind, params.overwrite), nullptr});
    d_files.push_back({output_target(parts[0].path + ".yml",
                                     kind,
                                     params.overwrite,
                                     d_files[0].target.partial() + ".yml"),
                       nullptr});
    try {
        const std::string header = lfile_header(what, params);
        for (auto& f : d_files)
            f.data = std::make_unique<growing_file>(f.target.file(), f.target.path());
        describe(header);
        d_files.back().data->end_piece();
    } catch (const std::exception&) {
        discard();
        throw;
    }
}

lfile_writer::~lfile_writer()
{
    try {
        abandon();
    } catch (const std::exception&) {
        // The partial name says that it is not whole.
    }
}

void lfile_writer::write(const dump& d)
{
    check_dump(d_parts[0].path, d_params, d);
    const std::uint32_t described = d_description;
    d_crcs.clear();
    try {
        for (std::size_t k = 0; k < d_parts.size(); k++)
            d_crcs.push_back(write_part(d_parts[k], *d_files[k].data, d));
        describe(lfile_line(d));
    } catch (const std::exception&) {
        for (auto& f : d_files)
            f.data->cut();
        d_description = described;
        throw;
    }
    for (std::size_t k = 0; k < d_parts.size(); k++)
        d_certificate.add_row(ending_of(d_parts[k].path), d_dumps, d_crcs[k]);
    for (auto& f : d_files)
        f.data->end_piece();
    d_dumps++;
}

std::uint32_t
lfile_writer::write_part(const lfile_part& part, growing_file& to, const dump& d)
{
    std::uint32_t crc = 0;
    const std::size_t channels = d_params.channels, products = part.products.size();
    const std::size_t floats = part.real ? 1 : 2;
    const std::size_t step =
        std::max<std::size_t>(block_bytes / (channels * floats * sizeof(float)), 16);
    d_block.resize(std::min(step, products) * channels * floats);
    for (std::size_t first = 0; first < products; first += step) {
        const std::size_t count = std::min(step, products - first);
        const std::size_t* which = part.products.data() + first;
        if (part.real)
            turn(d, which, count, channels, d_block.data(), [](std::complex<float> v) {
                return v.real();
            });
        else
            turn(d,
                 which,
                 count,
                 channels,
                 reinterpret_cast<std::complex<float>*>(d_block.data()),
                 [](std::complex<float> v) { return v; });
        const std::size_t bytes = count * channels * floats * sizeof(float);
        crc = crc32c(d_block.data(), bytes, crc);
        to.add(d_block.data(), bytes);
    }
    return crc;
}

void lfile_writer::describe(const std::string& text)
{
    d_files.back().data->add(text.data(), text.size());
    d_description = crc32c(text.data(), text.size(), d_description);
}

void lfile_writer::finish()
{
    if (d_closed)
        return;
    d_files[0].target.require_whole(false, d_dumps);
    try {
        describe(lfile_notes(d_notes));
        d_certificate.set_rows(d_dumps);
        d_certificate.set_table("description", d_description);
        describe("certificate: " + d_certificate.json() + "\n");
    } catch (const std::exception&) {
        d_files.back().data->cut(); // half a note is no YAML
        throw;
    }
    for (auto& f : d_files)
        f.data->close();
    for (const auto& f : d_files)
        f.target.require_free();
    // The description first: a file that has its own name is always described.
    for (auto f = d_files.rbegin(); f != d_files.rend(); ++f)
        f->target.commit();
    d_closed = true;
}

void lfile_writer::abandon()
{
    if (d_closed)
        return;
    d_closed = true;
    if (d_dumps == 0) {
        discard();
        return;
    }
    for (auto& f : d_files)
        f.target.leave();
}

void lfile_writer::discard()
{
    for (auto& f : d_files)
        f.target.discard();
}

} // namespace gr::fringe::io
