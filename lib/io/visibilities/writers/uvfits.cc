/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "io/durable/output_target.h"
#include "io/visibilities/writers/field_text.h"
#include "io/visibilities/writers/phased_rows.h"
#include "io/visibilities/writers/uvfits_certificate.h"
#include "io/visibilities/writers/uvfits_file.h"
#include "io/visibilities/writers/uvfits_tables.h"
#include "io/visibilities/writers/writers.h"
#include <algorithm>
#include <cstring>
#include <endian.h>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

constexpr double speed_of_light = 299792458.0;
// Rows are made in pieces of about this number of bytes.
constexpr std::size_t piece_bytes = 1u << 20;

// Big-endian floats, one behind the other.
class float_bytes
{
public:
    explicit float_bytes(std::string& to) : d_to(to.data()) {}
    void add(float value)
    {
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        bits = htobe32(bits);
        std::memcpy(d_to, &bits, sizeof bits);
        d_to += sizeof bits;
    }

private:
    char* d_to;
};

/*
 * A group is a row: its parameters, then [channel][correlation] of real part, imaginary
 * part and weight, which is negative where the value is flagged.
 */
class uvfits_writer : public visibility_writer
{
public:
    uvfits_writer(const std::string& path, const visibility_file_params& params);
    ~uvfits_writer() override;

    void write(const dump& d) override;
    std::uint64_t saved() const override { return d_dumps; }
    void note(const std::string& line) override { d_notes += line + "\n"; }
    void finish() override;
    void abandon() override;

private:
    std::size_t group_floats() const
    {
        return uvfits_parameters + 3 * d_params.channels * d_order.size();
    }
    void open(const epoch& center);
    void write_rows(const dump& d, const epoch& center);
    void add_row(float_bytes& to, std::size_t row, std::size_t at, const dump& d);
    void close(bool whole);

    const visibility_file_params d_params;
    const baseline_layout d_layout;
    const std::vector<std::size_t> d_order;
    output_target d_target;
    phased_rows d_rows;
    uvfits_certificate d_certificate;
    const std::size_t d_tile; // rows made at a time
    std::vector<std::complex<float>> d_data;
    std::vector<float> d_weight;
    std::unique_ptr<bool[]> d_flag;
    std::vector<double> d_uvw;
    epoch d_last;      // center of the last dump
    double d_days = 0; // of the dump's center since the midnight that DATE counts from
    uvfits_field d_field;
    std::unique_ptr<uvfits_file> d_file;
    std::size_t d_header_bytes = 0;
    std::uint64_t d_dumps = 0;
    std::string d_notes;
    bool d_broken = false;
    bool d_closed = false;
};

uvfits_writer::uvfits_writer(const std::string& path,
                             const visibility_file_params& params)
    : d_params(params),
      d_layout(params.observation, path),
      d_order(uvfits_correlation_order(d_layout)),
      d_target(path, output_target::kind::file, params.overwrite),
      d_rows(d_params, d_layout, baseline_pairing::first_minus_second),
      d_certificate(d_params, d_layout),
      d_tile(std::clamp<std::size_t>(
          piece_bytes / (4 * group_floats()), 1, d_layout.rows.size()))
{
    if (!(params.observation.sample_rate > 0))
        throw std::invalid_argument(path + ": a UVFITS file needs sample_rate, which the "
                                           "observation does not give");
    if (params.observation.antennas.size() > 2047)
        throw std::invalid_argument(
            path + ": a UVFITS file numbers 2047 antennas, the observation has " +
            std::to_string(params.observation.antennas.size()));
    const std::size_t cells = d_tile * d_params.channels * d_order.size();
    d_data.resize(cells);
    d_weight.resize(cells);
    d_flag = std::make_unique<bool[]>(cells);
    d_uvw.resize(3 * d_tile);
}

uvfits_writer::~uvfits_writer()
{
    try {
        abandon();
    } catch (const std::exception&) {
        // The partial name says that it is not whole.
    }
}

void uvfits_writer::open(const epoch& center)
{
    d_field.radec = array::phase_center_radec(d_params.observation, center);
    d_field.first = d_field.when = center;
    const std::string header = uvfits_header(d_params, d_layout, d_field, "", 0);
    d_header_bytes = header.size();
    d_file = std::make_unique<uvfits_file>(d_target.file(),
                                           d_target.path(),
                                           header,
                                           uvfits_tables(d_params, d_layout, d_field),
                                           4 * group_floats());
}

void uvfits_writer::write(const dump& d)
{
    const std::string& path = d_target.path();
    if (d_closed || d_broken)
        throw std::runtime_error(path + ": a dump came after the end");
    check_dump(path, d_params, d);
    d_target.require_space(d_layout.rows.size() * 4 * group_floats() + (1u << 18),
                           "the next dump");
    const epoch center = d.start.plus_seconds(d.interval / 2);
    d_broken = true;
    if (!d_file)
        open(center);
    write_rows(d, center);
    d_last = center;
    d_broken = false;
    d_dumps++;
}

void uvfits_writer::write_rows(const dump& d, const epoch& center)
{
    if (moving(d_params.observation))
        d_field.radec = array::phase_center_radec(d_params.observation, center);
    const auto axes =
        array::axes_of_radec(d_field.radec[0],
                             d_field.radec[1],
                             center,
                             array::orientation_of(d_params.observation, center));
    d_rows.begin(axes, d.interval * channel_width(d_params));
    d_days = center.seconds_since({d_field.first.seconds / 86400 * 86400, 0}) / 86400;
    const std::size_t rows = d_layout.rows.size(), group = 4 * group_floats();
    d_file->begin(rows);
    for (std::size_t first = 0; first < rows; first += d_tile) {
        const std::size_t count = std::min(d_tile, rows - first);
        d_rows.make(
            d, first, count, d_data.data(), d_weight.data(), d_flag.get(), d_uvw.data());
        std::string bytes(count * group, '\0');
        float_bytes to(bytes);
        for (std::size_t r = 0; r < count; r++)
            add_row(to, first + r, r, d);
        d_certificate.add(d_dumps * rows + first, count, bytes);
        d_certificate.count(
            d, first, count, d_data.data(), d_weight.data(), d_flag.get());
        d_file->put(first * group, bytes);
    }
    d_file->append(rows);
}

void uvfits_writer::add_row(float_bytes& to,
                            std::size_t row,
                            std::size_t at,
                            const dump& d)
{
    for (std::size_t k = 0; k < 3; k++)
        to.add(static_cast<float>(d_uvw[3 * at + k] / speed_of_light));
    // Two floats together hold the day to a nanosecond.
    const auto coarse = static_cast<float>(d_days);
    to.add(coarse);
    to.add(static_cast<float>(d_days - static_cast<double>(coarse)));
    const auto& pair = d_layout.rows[row];
    to.add(uvfits_baseline(static_cast<std::size_t>(pair.antenna1),
                           static_cast<std::size_t>(pair.antenna2),
                           d_params.observation.antennas.size()));
    to.add(1);
    to.add(static_cast<float>(d.interval));
    for (std::size_t c = 0; c < d_params.channels; c++)
        for (const std::size_t k : d_order) {
            const std::size_t cell = (at * d_params.channels + c) * d_order.size() + k;
            to.add(d_data[cell].real());
            to.add(d_data[cell].imag());
            to.add(d_flag[cell] ? -d_weight[cell] : d_weight[cell]);
        }
}

void uvfits_writer::close(bool whole)
{
    if (moving(d_params.observation)) {
        // The one direction that a header has is that of the middle of the file.
        d_field.when =
            d_field.first.plus_seconds(d_last.seconds_since(d_field.first) / 2);
        d_field.radec = array::phase_center_radec(d_params.observation, d_field.when);
    }
    const auto header = [this](const std::string& notes) {
        return uvfits_header(d_params, d_layout, d_field, notes, d_header_bytes);
    };
    // The certificate first: there may not be room for all notes.
    if (whole)
        d_notes = d_certificate.line(header(""), d_file->tables()) + "\n" + d_notes;
    d_file->close(header(d_notes));
    d_file.reset();
}

void uvfits_writer::finish()
{
    if (d_closed)
        return;
    d_target.require_whole(d_broken, d_dumps);
    close(true);
    d_target.commit();
    d_closed = true;
}

void uvfits_writer::abandon()
{
    if (d_closed)
        return;
    d_closed = true;
    if (d_dumps == 0) {
        d_target.discard();
        return;
    }
    d_target.leave();
    if (d_file && !d_broken)
        close(false);
}

} // namespace

std::unique_ptr<visibility_writer>
make_uvfits_writer(const std::string& path, const visibility_file_params& params)
{
    return std::make_unique<uvfits_writer>(path, params);
}

} // namespace gr::fringe::io
