/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/field_text.h"
#include "io/visibilities/writers/ms_rows.h"
#include "io/visibilities/writers/ms_tables.h"
#include "io/visibilities/writers/written_feed.h"
#include <algorithm>
#include <casacore/ms/MeasurementSets.h>
#include <cctype>
#include <cstdio>
#include <sstream>

namespace gr::fringe::io {

using casacore::Matrix;
using casacore::String;
using casacore::Vector;

namespace {

// An interval that holds for the whole file.
constexpr double always = 1e30;

String capitals(std::string word)
{
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
        return std::toupper(c);
    });
    return word;
}

void fill_antennas(casacore::MeasurementSet& ms,
                   const observation& obs,
                   const baseline_layout& layout)
{
    ms.antenna().addRow(obs.antennas.size());
    casacore::MSAntennaColumns columns(ms.antenna());
    for (std::size_t a = 0; a < obs.antennas.size(); a++) {
        const auto& r = obs.antennas[a].itrf;
        columns.name().put(a, obs.antennas[a].name);
        columns.station().put(a, obs.antennas[a].name);
        columns.type().put(a, "GROUND-BASED");
        columns.mount().put(a, capitals(feed_of(obs, a, layout.polarizations).mount));
        columns.position().put(a, Vector<double>{r[0], r[1], r[2]});
        columns.offset().put(a, Vector<double>(3, 0.0));
        columns.dishDiameter().put(a, 0.0);
        columns.flagRow().put(a, false);
    }
}

void fill_feeds(casacore::MeasurementSet& ms,
                const observation& obs,
                const baseline_layout& layout)
{
    const std::size_t receptors = layout.polarizations.size();
    Matrix<casacore::Complex> response(receptors, receptors, 0.0f);
    response.diagonal() = 1.0f;
    ms.feed().addRow(obs.antennas.size());
    casacore::MSFeedColumns columns(ms.feed());
    for (std::size_t a = 0; a < obs.antennas.size(); a++) {
        const auto feed = feed_of(obs, a, layout.polarizations);
        Vector<String> types(receptors);
        for (std::size_t p = 0; p < receptors; p++)
            types[p] = String(feed.hands[p]);
        columns.antennaId().put(a, static_cast<int>(a));
        columns.feedId().put(a, 0);
        columns.spectralWindowId().put(a, -1);
        columns.beamId().put(a, -1);
        columns.time().put(a, 0.0);
        columns.interval().put(a, always);
        columns.numReceptors().put(a, static_cast<int>(receptors));
        columns.beamOffset().put(a, Matrix<double>(2, receptors, 0.0));
        columns.polarizationType().put(a, types);
        columns.polResponse().put(a, response);
        columns.position().put(a, Vector<double>(3, 0.0));
        columns.receptorAngle().put(a, Vector<double>(feed.angles));
    }
}

void fill_spectral_window(casacore::MeasurementSet& ms,
                          const visibility_file_params& params)
{
    const auto frequencies =
        params.observation.channel_frequencies(params.channels, params.complex_samples);
    const double width = channel_width(params);
    const Vector<double> widths(params.channels, width);
    ms.spectralWindow().addRow();
    casacore::MSSpWindowColumns columns(ms.spectralWindow());
    columns.numChan().put(0, static_cast<int>(params.channels));
    columns.name().put(0, "band");
    columns.refFrequency().put(0, params.observation.center_frequency);
    columns.chanFreq().put(0, Vector<double>(frequencies));
    columns.chanWidth().put(0, widths);
    columns.effectiveBW().put(0, widths);
    columns.resolution().put(0, widths);
    columns.totalBandwidth().put(0, width * static_cast<double>(params.channels));
    columns.measFreqRef().put(0, casacore::MFrequency::TOPO);
    columns.netSideband().put(0, 1); // channels ascend in sky frequency
    columns.ifConvChain().put(0, 0);
    columns.freqGroup().put(0, 0);
    columns.freqGroupName().put(0, "band");
    columns.flagRow().put(0, false);
}

void fill_polarization(casacore::MeasurementSet& ms, const baseline_layout& layout)
{
    const std::size_t npol = layout.polarizations.size();
    Matrix<int> product(2, npol * npol);
    for (std::size_t k = 0; k < npol * npol; k++) {
        product(0, k) = static_cast<int>(k / npol);
        product(1, k) = static_cast<int>(k % npol);
    }
    ms.polarization().addRow();
    casacore::MSPolarizationColumns columns(ms.polarization());
    columns.numCorr().put(0, static_cast<int>(npol * npol));
    columns.corrType().put(0, Vector<int>(layout.correlations));
    columns.corrProduct().put(0, product);
    columns.flagRow().put(0, false);

    ms.dataDescription().addRow();
    casacore::MSDataDescColumns description(ms.dataDescription());
    description.spectralWindowId().put(0, 0);
    description.polarizationId().put(0, 0);
    description.flagRow().put(0, false);
}

void fill_observation(casacore::MeasurementSet& ms, const observation& obs)
{
    ms.observation().addRow();
    casacore::MSObservationColumns columns(ms.observation());
    columns.telescopeName().put(0, obs.telescope);
    columns.observer().put(0, obs.observer);
    columns.project().put(0, "");
    columns.scheduleType().put(0, "");
    columns.schedule().put(0, Vector<String>(1, ""));
    columns.log().put(0, Vector<String>(1, ""));
    columns.timeRange().put(0, Vector<double>(2, 0.0));
    columns.releaseDate().put(0, 0.0);
    columns.flagRow().put(0, false);

    ms.processor().addRow();
    casacore::MSProcessorColumns processor(ms.processor());
    processor.type().put(0, "CORRELATOR");
    processor.subType().put(0, "gr-fringe " FRINGE_VERSION);
    processor.typeId().put(0, -1);
    processor.modeId().put(0, -1);
    processor.flagRow().put(0, false);
}

void add_row(casacore::MeasurementSet& ms,
             const String& message,
             const String& command,
             const std::string& parameters,
             double time)
{
    const auto row = ms.history().nrow();
    ms.history().addRow();
    casacore::MSHistoryColumns columns(ms.history());
    columns.time().put(row, time);
    columns.observationId().put(row, 0);
    columns.objectId().put(row, 0);
    columns.message().put(row, message);
    columns.priority().put(row, "NORMAL");
    columns.origin().put(row, "gr-fringe");
    columns.application().put(row, "gr-fringe " FRINGE_VERSION);
    columns.cliCommand().put(row, Vector<String>(1, command));
    columns.appParams().put(row, Vector<String>(1, parameters));
}

} // namespace

void fill_subtables(casacore::MeasurementSet& ms,
                    const visibility_file_params& params,
                    const baseline_layout& layout)
{
    fill_antennas(ms, params.observation, layout);
    fill_feeds(ms, params.observation, layout);
    fill_spectral_window(ms, params);
    fill_polarization(ms, layout);
    fill_observation(ms, params.observation);
}

void fill_field(casacore::MeasurementSet& ms,
                const visibility_file_params& params,
                const std::array<double, 2>& radec,
                const epoch& when)
{
    const auto& obs = params.observation;
    const double time = when.mjd_seconds();
    ms.field().addRow();
    casacore::MSFieldColumns columns(ms.field());
    columns.name().put(0, field_name(obs, radec, when));
    columns.code().put(0, "");
    columns.numPoly().put(0, 0);
    point_field(ms, radec, when);
    columns.sourceId().put(0, -1);
    columns.flagRow().put(0, false);

    // The observation itself as well, so that the file can tell how it was made.
    std::istringstream lines(params.history);
    std::string command;
    std::getline(lines, command);
    add_row(ms, command, command, obs.to_text(), time);
    for (std::string line; std::getline(lines, line);)
        add_history(ms, line, time);
    if (!moving(obs))
        add_history(ms, field_history(obs, radec, when), time);
}

void point_field(casacore::MeasurementSet& ms,
                 const std::array<double, 2>& radec,
                 const epoch& when)
{
    Matrix<double> direction(2, 1);
    direction(0, 0) = radec[0];
    direction(1, 0) = radec[1];
    casacore::MSFieldColumns columns(ms.field());
    columns.time().put(0, when.mjd_seconds());
    columns.delayDir().put(0, direction);
    columns.phaseDir().put(0, direction);
    columns.referenceDir().put(0, direction);
}

void add_history(casacore::MeasurementSet& ms, const std::string& line, double time)
{
    add_row(ms, line, "", "", time);
}

void fill_time_range(casacore::MeasurementSet& ms, double start, double end)
{
    casacore::MSObservationColumns columns(ms.observation());
    columns.timeRange().put(0, Vector<double>{start, end});
}

} // namespace gr::fringe::io
