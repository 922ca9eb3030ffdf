/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "array/geometry.h"
#include "io/certificates/certificate.h"
#include "io/durable/output_target.h"
#include "io/visibilities/writers/baseline_layout.h"
#include "io/visibilities/writers/field_text.h"
#include "io/visibilities/writers/ms_certificate.h"
#include "io/visibilities/writers/ms_rows.h"
#include "io/visibilities/writers/ms_snapshot.h"
#include "io/visibilities/writers/ms_tables.h"
#include "io/visibilities/writers/writers.h"
#include <casacore/ms/MeasurementSets.h>
#include <casacore/tables/DataMan/TiledStManAccessor.h>
#include <casacore/tables/Tables/RefRows.h>
#include <chrono>
#include <stdexcept>

namespace gr::fringe::io {

using casacore::MS;
using casacore::RefRows;

namespace {

using steady = std::chrono::steady_clock;

// What was written is shown to readers so often, and not more often than takes a fifth of
// the time; the first time, when all the tables are written, does not count.
constexpr std::chrono::milliseconds shortest_pause(100);
constexpr int pause_per_work = 4;

// Tables that could not be written. Destroying one would write it again, and end the
// program; the last picture of them is whole.
void give_up(std::unique_ptr<casacore::MeasurementSet> ms)
{
    static auto& broken = *new std::vector<casacore::MeasurementSet*>;
    broken.push_back(ms.release());
}

class measurement_set_writer : public visibility_writer
{
public:
    measurement_set_writer(const std::string& path, const visibility_file_params& params);
    ~measurement_set_writer() override;

    void write(const dump& d) override;
    void idle() override;
    std::uint64_t saved() const override { return d_saved; }
    void note(const std::string& line) override;
    void finish() override;
    void abandon() override;

private:
    std::uint64_t dump_bytes() const;
    void write_rows(const dump& d, const epoch& center);
    void put_scalars(const dump& d, const epoch& center, casacore::rownr_t row0);
    void publish();
    void close(bool whole);
    // Runs something of casacore; its failure ends this file.
    template <class F>
    void guarded(F&& f);

    const visibility_file_params d_params;
    const baseline_layout d_layout;
    output_target d_target;
    ms_snapshot d_snapshot;
    ms_rows d_rows;
    ms_certificate d_certificate;
    std::unique_ptr<casacore::MeasurementSet> d_ms;
    std::array<double, 2> d_radec{};
    epoch d_first, d_last; // centers of dumps
    double d_start = 0;
    double d_end = 0;
    std::uint64_t d_dumps = 0;
    std::uint64_t d_saved = 0;
    steady::time_point d_next; // not to be published before
    bool d_finished = false;
    bool d_abandoned = false;
};

template <class F>
void measurement_set_writer::guarded(F&& f)
{
    std::lock_guard<std::mutex> lock(casacore_mutex());
    try {
        f();
    } catch (const std::exception& e) {
        give_up(std::move(d_ms));
        std::string why = e.what();
        // What casacore appends to this one is the reason of some other failure.
        if (why.find("write error in") != std::string::npos)
            why.erase(why.rfind(": "));
        throw std::runtime_error(d_target.path() +
                                 ": cannot be written (is the disk full?): " + why);
    }
}

measurement_set_writer::measurement_set_writer(const std::string& path,
                                               const visibility_file_params& params)
    : d_params(params),
      d_layout(params.observation, path),
      d_target(path, output_target::kind::measurement_set, params.overwrite),
      d_snapshot(path),
      d_rows(d_params, d_layout),
      d_certificate(d_params, d_layout)
{
    if (!(params.observation.sample_rate > 0))
        throw std::invalid_argument(path + ": a MeasurementSet needs sample_rate, which "
                                           "the observation does not give");
    try {
        d_target.clear();
        d_target.require_space(8u << 20, "an empty MeasurementSet");
        guarded([this] {
            d_ms = create_measurement_set(
                d_snapshot.table(), d_params.channels, d_layout.correlations.size());
            fill_subtables(*d_ms, d_params, d_layout);
        });
    } catch (const std::exception&) {
        d_snapshot.remove();
        throw;
    }
}

measurement_set_writer::~measurement_set_writer()
{
    try {
        abandon();
    } catch (const std::exception&) {
        // The partial name says that it is not whole.
    }
}

// A little more than a dump needs: tiles are written whole.
std::uint64_t measurement_set_writer::dump_bytes() const
{
    const std::uint64_t correlations = d_layout.correlations.size();
    const std::uint64_t cells = d_params.channels * correlations;
    const std::uint64_t row = cells * 13 + correlations * 8 + 64;
    const std::uint64_t tile = ms_tile_rows(d_params.channels, correlations);
    return (d_layout.rows.size() + 2 * tile) * row + (1u << 20);
}

void measurement_set_writer::write(const dump& d)
{
    if (!d_ms)
        throw std::runtime_error(d_target.path() + ": a dump came after the end");
    check_dump(d_target.path(), d_params, d);
    d_target.require_space(dump_bytes(), "the next dump");
    const epoch center = d.start.plus_seconds(d.interval / 2);
    if (d_dumps == 0 || moving(d_params.observation))
        d_radec = array::phase_center_radec(d_params.observation, center);
    if (d_dumps == 0) {
        d_first = center;
        d_start = d.start.mjd_seconds();
    }
    d_last = center;
    d_rows.begin(
        d,
        array::axes_of_radec(d_radec[0],
                             d_radec[1],
                             center,
                             array::orientation_of(d_params.observation, center)));
    guarded([&] {
        if (d_dumps == 0)
            fill_field(*d_ms, d_params, d_radec, center);
        write_rows(d, center);
        d_end = d.start.plus_seconds(d.interval).mjd_seconds();
        d_dumps++;
        if (steady::now() >= d_next)
            publish();
    });
}

void measurement_set_writer::idle()
{
    if (d_ms && d_saved < d_dumps)
        guarded([this] { publish(); });
}

void measurement_set_writer::write_rows(const dump& d, const epoch& center)
{
    casacore::MSMainColumns columns(*d_ms);
    casacore::ArrayColumn<casacore::Complex> data(*d_ms, MS::columnName(MS::DATA));
    const auto row0 = d_ms->nrow();
    const std::size_t all = d_layout.count(d.rows);
    d_ms->addRow(all);
    put_scalars(d, center, row0);

    const std::size_t step =
        ms_tile_rows(d_params.channels, d_layout.correlations.size());
    for (std::size_t first = 0; first < all; first += step) {
        const std::size_t count = std::min(step, all - first);
        d_rows.make(d, first, count);
        d_certificate.add(d, center, row0 + first, first, count, d_rows);
        const RefRows rows(row0 + first, row0 + first + count - 1);
        data.putColumnCells(rows, d_rows.data);
        columns.weightSpectrum().putColumnCells(rows, d_rows.weight_spectrum);
        columns.flag().putColumnCells(rows, d_rows.flag);
        columns.weight().putColumnCells(rows, d_rows.weight);
        columns.sigma().putColumnCells(rows, d_rows.sigma);
        columns.uvw().putColumnCells(rows, d_rows.uvw);
        columns.flagRow().putColumnCells(rows, d_rows.flag_row);
    }
}

void measurement_set_writer::put_scalars(const dump& d,
                                         const epoch& center,
                                         casacore::rownr_t row0)
{
    casacore::MSMainColumns columns(*d_ms);
    const std::size_t count = d_layout.count(d.rows);
    const RefRows rows(row0, row0 + count - 1);
    casacore::Vector<int> antenna1(count), antenna2(count);
    for (std::size_t r = 0; r < count; r++) {
        const auto& row = d_layout.rows[d_layout.place(d.rows, r)];
        antenna1[r] = row.antenna1;
        antenna2[r] = row.antenna2;
    }
    columns.antenna1().putColumnCells(rows, antenna1);
    columns.antenna2().putColumnCells(rows, antenna2);

    const casacore::Vector<double> time(count, center.mjd_seconds());
    columns.time().putColumnCells(rows, time);
    columns.timeCentroid().putColumnCells(rows, time);
    columns.interval().putColumnCells(rows, casacore::Vector<double>(count, d.interval));
    columns.exposure().putColumnCells(rows, casacore::Vector<double>(count, d.exposure));

    const casacore::Vector<int> zero(count, 0);
    for (auto* column : {&columns.arrayId(),
                         &columns.dataDescId(),
                         &columns.fieldId(),
                         &columns.feed1(),
                         &columns.feed2(),
                         &columns.observationId(),
                         &columns.processorId()})
        column->putColumnCells(rows, zero);
    columns.stateId().putColumnCells(rows, casacore::Vector<int>(count, -1));
    columns.scanNumber().putColumnCells(rows, casacore::Vector<int>(count, 1));
}

// The bulk goes to the disk before the tables say that it is there: most full disks are met
// here, and then a reader still finds the dumps before.
void measurement_set_writer::publish()
{
    const auto began = steady::now();
    for (const auto& name : ms_tiled_managers())
        casacore::ROTiledStManAccessor(*d_ms, name).clearCaches();
    fill_time_range(*d_ms, d_start, d_end);
    d_ms->flush();
    d_snapshot.publish();
    const auto now = steady::now();
    d_next = now + shortest_pause;
    if (d_saved > 0)
        d_next = std::max(d_next, now + pause_per_work * (now - began));
    d_saved = d_dumps;
}

void measurement_set_writer::note(const std::string& line)
{
    if (d_ms)
        guarded([&] { add_history(*d_ms, line, d_end); });
}

void measurement_set_writer::close(bool whole)
{
    guarded([this, whole] {
        fill_time_range(*d_ms, d_start, d_end);
        if (moving(d_params.observation)) {
            // The one direction that a field has is that of the middle of the file.
            const epoch middle = d_first.plus_seconds(d_last.seconds_since(d_first) / 2);
            const auto radec = array::phase_center_radec(d_params.observation, middle);
            point_field(*d_ms, radec, middle);
            add_history(*d_ms, field_history(d_params.observation, radec, middle), d_end);
        }
        if (whole)
            add_history(*d_ms, d_certificate.line(*d_ms), d_end);
        d_ms->flush();
        d_ms.reset();
    });
    d_snapshot.move();
    d_saved = d_dumps;
}

void measurement_set_writer::finish()
{
    if (d_finished)
        return;
    d_target.require_whole(!d_ms, d_dumps);
    close(true);
    d_target.commit();
    d_finished = true;
}

void measurement_set_writer::abandon()
{
    if (d_finished || d_abandoned)
        return;
    d_abandoned = true;
    if (d_ms && d_dumps > 0)
        close(false);
    d_ms.reset();
    d_snapshot.remove();
    if (d_saved > 0)
        d_target.leave();
}

} // namespace

std::unique_ptr<visibility_writer>
make_measurement_set_writer(const std::string& path, const visibility_file_params& params)
{
    return std::make_unique<measurement_set_writer>(path, params);
}

} // namespace gr::fringe::io
