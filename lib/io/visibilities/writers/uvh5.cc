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
#include "io/visibilities/writers/uvh5_certificate.h"
#include "io/visibilities/writers/uvh5_columns.h"
#include "io/visibilities/writers/uvh5_header.h"
#include "io/visibilities/writers/writers.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

using element = hdf5_output::element;
using steady = std::chrono::steady_clock;

// Publishing waits for the disk, so it is not to take more than a fifth of the time.
constexpr int pause_per_work = 4;
// Space for the tables that say where a dump lies.
constexpr std::uint64_t table_bytes = 1u << 18;

/*
 * A dump is in the file, all of it, from the moment that it is published: a full disk, an
 * error, the death of the process or of the machine leave the dumps before.
 */
class uvh5_writer : public visibility_writer
{
public:
    uvh5_writer(const std::string& path, const visibility_file_params& params);
    ~uvh5_writer() override;

    void write(const dump& d) override;
    void idle() override;
    std::uint64_t saved() const override { return d_saved; }
    void note(const std::string& line) override;
    void finish() override;
    void abandon() override;

private:
    // Runs what may fail to write; its failure ends this file.
    template <class F>
    void guarded(const std::string& what, F&& f);
    void publish();
    std::uint64_t dump_bytes(const dump& d) const;
    void put(const dump& d);
    void find_center(const epoch& center);
    void move_to(const std::array<double, 2>& radec);
    void write_rows(const dump& d);

    const visibility_file_params d_params;
    const baseline_layout d_layout;
    const std::vector<uvh5_column> d_columns;
    output_target d_target;
    std::unique_ptr<hdf5_output> d_file;
    phased_rows d_rows;
    uvh5_certificate d_certificate;
    const std::size_t d_tile; // rows made at a time: a chunk
    std::vector<std::complex<float>> d_data;
    std::vector<float> d_weight;
    std::unique_ptr<bool[]> d_flag;
    std::vector<double> d_uvw;
    std::array<double, 2> d_radec{}; // of the phase center
    double d_distance = 0;           // of the satellite
    std::string d_history;
    std::uint64_t d_dumps = 0;
    std::uint64_t d_saved = 0;       // dumps that are published
    std::uint64_t d_written = 0;     // rows
    steady::time_point d_next;       // not to be published before
    std::set<std::uint64_t> d_times; // of all rows, as bits
    bool d_broken = false;
    bool d_closed = false;
};

uvh5_writer::uvh5_writer(const std::string& path, const visibility_file_params& params)
    : d_params(params),
      d_layout(params.observation, path),
      d_columns(uvh5_columns(params, d_layout)),
      d_target(path, output_target::kind::file, params.overwrite),
      d_rows(d_params, d_layout, baseline_pairing::second_minus_first),
      d_certificate(d_params, d_layout),
      d_tile(uvh5_chunk_rows(params, d_layout))
{
    if (!(params.observation.sample_rate > 0))
        throw std::invalid_argument(path + ": a UVH5 file needs sample_rate, which the "
                                           "observation does not give");
    const std::size_t cells = d_tile * d_params.channels * d_layout.correlations.size();
    d_data.resize(cells);
    d_weight.resize(cells);
    d_flag = std::make_unique<bool[]>(cells);
    d_uvw.resize(3 * d_tile);
    try {
        d_file = std::make_unique<hdf5_output>(d_target.file());
        write_uvh5_header(*d_file, d_params, d_layout);
        d_file->publish();
    } catch (const std::exception& e) {
        d_target.discard();
        throw std::runtime_error(path + ": cannot be written: " + e.what());
    }
}

uvh5_writer::~uvh5_writer()
{
    try {
        abandon();
    } catch (const std::exception&) {
        // The partial name says that it is not whole.
    }
}

void uvh5_writer::write(const dump& d)
{
    const std::string& path = d_target.path();
    if (d_closed || d_broken)
        throw std::runtime_error(path + ": a dump came after the end");
    check_dump(path, d_params, d);
    // A dump that is begun and does not fit cannot be taken back.
    d_target.require_space(dump_bytes(d) + table_bytes, "the next dump");
    guarded("the next dump cannot be written", [&] {
        put(d);
        d_dumps++;
        d_written += d_layout.count(d.rows);
        if (steady::now() >= d_next)
            publish();
    });
}

template <class F>
void uvh5_writer::guarded(const std::string& what, F&& f)
{
    d_broken = true;
    try {
        f();
    } catch (const std::exception& e) {
        throw std::runtime_error(d_target.path() + ": " + what + ": " + e.what());
    }
    d_broken = false;
}

void uvh5_writer::publish()
{
    const auto began = steady::now();
    d_file->publish();
    d_saved = d_dumps;
    const auto now = steady::now();
    d_next = now + pause_per_work * (now - began);
}

void uvh5_writer::idle()
{
    if (!d_broken && d_saved < d_dumps)
        guarded("cannot be written", [this] { publish(); });
}

// Visibilities, weights and flags, and a little for the columns.
std::uint64_t uvh5_writer::dump_bytes(const dump& d) const
{
    const std::uint64_t cells = d_params.channels * d_layout.correlations.size();
    return d_layout.count(d.rows) * (cells * 13 + 128);
}

void uvh5_writer::put(const dump& d)
{
    const epoch center = d.start.plus_seconds(d.interval / 2);
    find_center(center);
    if (d_dumps == 0) {
        d_history = uvh5_history(d_params, d_radec, center);
        d_file->text("Header/history", d_history);
        write_uvh5_phase_center(*d_file, d_params, d_radec, center);
    }
    const auto axes =
        array::axes_of_radec(d_radec[0],
                             d_radec[1],
                             center,
                             array::orientation_of(d_params.observation, center));
    // nsamples is to be 1 where nothing is missing.
    d_rows.begin(axes, 1);
    const std::uint64_t rows = d_written + d_layout.count(d.rows);
    for (const auto& c : d_columns)
        d_file->extend(c.name, c.dump_rows == 1 ? d_dumps + 1 : rows);
    write_uvh5_times(
        *d_file, d_params.observation, d_layout, d, axes, d_dumps, d_written);
    if (d_params.satellite || moving(d_params.observation))
        write_uvh5_place(*d_file, d_params, d, d_radec, d_distance, d_dumps);
    write_rows(d);
    d_times.insert(uvh5_time(d));
    d_file->set_integer("Header/Ntimes", static_cast<std::int64_t>(d_times.size()));
    d_file->set_integer("Header/Nblts", static_cast<std::int64_t>(rows));
}

// A direction keeps the place among the stars that it had in the first dump. The Sun, the
// Moon and the planets are followed. A satellite is
// where a star would have to be that the site sees there.
void uvh5_writer::find_center(const epoch& center)
{
    const auto& obs = d_params.observation;
    if (!d_params.satellite) {
        if (d_dumps == 0)
            d_radec = array::phase_center_radec(obs, center);
        else if (moving(obs))
            move_to(array::phase_center_radec(obs, center));
        return;
    }
    const auto site =
        array::itrf_from_wgs84(obs.site_latitude, obs.site_longitude, obs.site_height);
    const auto seen = d_params.satellite->seen_from(site, center);
    d_distance = std::hypot(seen[0], seen[1], seen[2]);
    move_to(array::radec_of_itrf(obs, seen, center));
}

void uvh5_writer::move_to(const std::array<double, 2>& radec)
{
    // Without a step at 2 pi, for those who interpolate.
    const double ra = d_dumps == 0
                          ? radec[0]
                          : d_radec[0] + std::remainder(radec[0] - d_radec[0], 2 * M_PI);
    d_radec = {ra, radec[1]};
}

void uvh5_writer::write_rows(const dump& d)
{
    const std::size_t rows = d_layout.count(d.rows);
    for (std::size_t first = 0; first < rows;) {
        // Up to the end of a chunk.
        const std::uint64_t to = d_written + first;
        const std::size_t count = std::min(d_tile - to % d_tile, rows - first);
        d_rows.make(
            d, first, count, d_data.data(), d_weight.data(), d_flag.get(), d_uvw.data());
        d_certificate.add(d,
                          to,
                          first,
                          count,
                          {d_data.data(), d_weight.data(), d_flag.get(), d_uvw.data()});
        d_file->put_rows("Data/visdata", element::complex64, to, count, d_data.data());
        d_file->put_rows("Data/nsamples", element::float32, to, count, d_weight.data());
        d_file->put_rows("Data/flags", element::boolean, to, count, d_flag.get());
        d_file->put_rows("Header/uvw_array", element::float64, to, count, d_uvw.data());
        first += count;
    }
}

void uvh5_writer::note(const std::string& line)
{
    if (d_closed || d_broken || d_dumps == 0)
        return;
    d_history += line + "\n";
    guarded("cannot be written", [this] {
        d_file->replace_text("Header/history", d_history);
        publish();
    });
}

void uvh5_writer::finish()
{
    if (d_closed)
        return;
    d_target.require_whole(d_broken, d_dumps);
    if (d_file) {
        note(d_certificate.line(*d_file));
        idle();
        try {
            d_file->sync();
        } catch (const std::exception& e) {
            throw lost_writes(d_target.path() + ": " + e.what());
        }
        d_file.reset();
    }
    d_target.commit();
    d_closed = true;
}

void uvh5_writer::abandon()
{
    if (d_closed)
        return;
    d_closed = true;
    try {
        if (d_file)
            idle();
    } catch (const std::exception&) {
        // The disk takes no more; what was published before is left.
    }
    d_file.reset();
    if (d_saved == 0)
        d_target.discard();
    else
        d_target.leave();
}

} // namespace

std::unique_ptr<visibility_writer> make_uvh5_writer(const std::string& path,
                                                    const visibility_file_params& params)
{
    return std::make_unique<uvh5_writer>(path, params);
}

} // namespace gr::fringe::io
