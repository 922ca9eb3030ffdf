/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/hdf5_file.h"
#include "io/recordings/input_file.h"
#include "io/recordings/json_object.h"
#include "io/recordings/recording_helpers.h"
#include "kernels/unpack/stream_major_bits.h"
#include <algorithm>

namespace gr::fringe::io {

namespace {

/*
 * Raw data of the Transient Array Radio Telescope: `data` u8[antenna][time / 8], one-bit
 * real samples, the first in the most significant bit; `config`, JSON with the
 * frequencies; `timestamp`, the start in ISO 8601.
 */
class tart_recording : public recording
{
public:
    tart_recording(const std::string& path, const recording_hints& hints) : d_file(path)
    {
        const auto shape = d_file.open_bytes("data");
        d_info.streams = shape[0];
        d_info.samples = shape[1] * 8;
        if (d_info.streams == 0 || d_info.samples == 0)
            throw std::invalid_argument(path + ": holds no samples (" +
                                        std::to_string(shape[0]) + " antennas, " +
                                        std::to_string(shape[1]) + " bytes each)");
        if (hints.streams != 0 && hints.streams != d_info.streams)
            throw std::invalid_argument(
                path + ": holds " + std::to_string(d_info.streams) +
                " antennas, not the " + std::to_string(hints.streams) +
                " inputs that were given");
        read_config(d_file.text("config"));
        read_timestamp(d_file.text("timestamp"));
    }

    const recording_info& info() const override { return d_info; }

    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>*) const override
    {
        check_read(d_file.path(), d_info.samples, first, count, 8);
        d_file.read_columns(first / 8, count / 8, out);
    }

private:
    void read_config(const std::string& json)
    {
        const json_object config(d_file.path() + ": 'config'",
                                 json.empty() ? "{}" : json);
        d_info.sample_rate = config.number("sampling_frequency", 0);
        // The sky is mixed down to the positive half of the band, LO ... LO + fs/2.
        const double oscillator = config.number("L0_frequency", 0);
        if (oscillator > 0 && d_info.sample_rate > 0)
            d_info.center_frequency = oscillator + d_info.sample_rate / 4;
        else
            d_info.center_frequency = config.number("frequency", 0);
        d_info.remarks = config.text("name");
        d_info.telescope = "TART";
    }

    void read_timestamp(const std::string& text)
    {
        if (text.empty())
            return;
        try {
            d_info.start_time = epoch::from_iso(text);
        } catch (const std::invalid_argument& e) {
            throw damaged_recording(d_file.path() + ": 'timestamp': " + e.what());
        }
        d_info.has_start_time = true;
    }

    hdf5_file d_file;
    recording_info d_info;
};

} // namespace

recording_format format_tart()
{
    recording_format f;
    f.name = "tart";
    f.summary = "real one-bit, many antennas, HDF5 of the TART telescope";
    f.self_describing = true;
    f.granule = 8;
    f.stream_major = true;
    f.high_bits_first = true;
    f.encoding = kernels::stream_major_bits();
    f.encoding.name = f.name;
    f.endings = {"hdf", "hdf5", "h5"};
    f.recognizes = [](const std::string&, const std::vector<std::uint8_t>& start) {
        return start.size() >= hdf5_signature.size() &&
               std::equal(hdf5_signature.begin(),
                          hdf5_signature.end(),
                          start.begin(),
                          [](char a, std::uint8_t b) {
                              return static_cast<std::uint8_t>(a) == b;
                          });
    };
    f.open = [](const std::string& path,
                const recording_hints& hints) -> std::unique_ptr<recording> {
        return std::make_unique<tart_recording>(path, hints);
    };
    return f;
}

} // namespace gr::fringe::io
