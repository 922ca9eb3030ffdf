/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording_files.h"
#include "io/recordings/recording_piece.h"
#include "io/spectra/spectra_reader.h"
#include "io/spectra/spectra_writer.h"
#include "recording_seeds.h"
#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <unistd.h>

using namespace gr::fringe;

namespace fuzzed {

input_file::input_file(const std::string& name)
{
    d_folder = std::filesystem::exists("/dev/shm")
                   ? "/dev/shm/fringe-fuzz-XXXXXX"
                   : std::filesystem::temp_directory_path() / "fringe-fuzz-XXXXXX";
    if (!mkdtemp(d_folder.data()))
        throw std::runtime_error("cannot make " + d_folder);
    d_path = d_folder + "/" + name;
}

input_file::~input_file()
{
    std::error_code ignored;
    std::filesystem::remove_all(d_folder, ignored);
}

void input_file::write(const bytes& content) const
{
    const int file = open(d_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const auto written = ::write(file, content.data(), content.size());
    if (file < 0 || written != static_cast<ssize_t>(content.size()))
        throw std::runtime_error("cannot write " + d_path);
    close(file);
}

namespace {

// What a program does with a recording that it does not know: its first and last samples.
void open_and_read(const io::recording_format& format,
                   const std::string& path,
                   const io::recording_hints& hints)
{
    const auto file = io::open_recording(format, path, hints);
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(file->info().samples, 256));
    const io::recording_piece piece(*file, format, count);
    bytes block(piece.bytes());
    std::vector<io::lost_samples> lost;
    piece.read(0, count, 0, block.data(), lost);
    piece.read(file->info().samples - count, count, 0, block.data(), lost);
}

void add_recording(std::vector<reader>& to,
                   const std::string& format,
                   bytes (*seed)(),
                   const io::recording_hints& hints = {})
{
    const auto file = std::make_shared<input_file>("x." + format);
    to.push_back({format,
                  [seed] { return std::vector<bytes>{seed()}; },
                  [file, format, hints](const bytes& content) {
                      file->write(content);
                      return reads(file->path(), [&] {
                          open_and_read(io::format_by_name(format), file->path(), hints);
                      });
                  }});
}

// The metadata of SigMF beside its samples, as text, which a checksum of the archive does not
// hide.
void add_sigmf_metadata(std::vector<reader>& to)
{
    const auto file = std::make_shared<input_file>("x.sigmf-meta");
    input_file const* const meta = file.get();
    const std::string data = meta->path().substr(0, meta->path().size() - 4) + "data";
    to.push_back(
        {"sigmf_metadata",
         [] {
             bytes b;
             put(b,
                 R"({"global": {"core:datatype": "ci16_le", "core:sample_rate": 1e6,
"core:num_channels": 2, "core:version": "1.2.0", "core:offset": 0, "core:trailing_bytes": 0},
"captures": [{"core:sample_start": 0, "core:frequency": 1.4e9, "core:global_index": 0,
"core:datetime": "2026-01-01T00:00:00.5Z"}, {"core:sample_start": 100,
"core:datetime": "2026-01-01T00:00:01Z"}], "annotations": []})");
             return std::vector<bytes>{b};
         },
         [file, data](const bytes& content) {
             if (!std::filesystem::exists(data))
                 std::ofstream(data) << std::string(1600, 'a');
             file->write(content);
             return reads("x.sigmf", [&] {
                 open_and_read(io::format_by_name("sigmf"), file->path(), {});
             });
         }});
}

bytes spectra_file()
{
    const input_file file("x.h5");
    io::spectra_facts facts;
    facts.inputs = 2;
    facts.channels = 4;
    facts.block = 8;
    facts.rate = 1e3;
    facts.frequency = 1e8;
    facts.packet_channels = 2;
    io::spectra_writer writer(open(file.path().c_str(), O_RDWR | O_CREAT | O_EXCL, 0600),
                              facts);
    const std::vector<std::int8_t> values(facts.block_bytes(), 3);
    const io::spectra_run run{1780000000, 0.5, 1e3, 1e8};
    writer.add(values.data(), 8, {}, run);
    writer.add(values.data(), 5, {{0, 1, 2, 2, 3, 2}}, {});
    writer.finish();
    std::ifstream stream(file.path(), std::ios::binary);
    return bytes(std::istreambuf_iterator<char>(stream), {});
}

void add_spectra(std::vector<reader>& to)
{
    const auto file = std::make_shared<input_file>("x.h5");
    to.push_back({"spectra",
                  [] { return std::vector<bytes>{spectra_file()}; },
                  [file](const bytes& content) {
                      file->write(content);
                      return reads(file->path(), [&] {
                          const io::spectra_reader spectra(file->path());
                          if (spectra.blocks().empty())
                              return;
                          std::vector<std::int8_t> values(spectra.facts().block_bytes());
                          bytes lost(spectra.facts().lost_cells());
                          spectra.read(spectra.blocks().size() - 1, values.data());
                          spectra.read_lost(0, lost.data());
                      });
                  }});
}

} // namespace

void add_recordings(std::vector<reader>& to)
{
    add_recording(to, "vdif", vdif);
    add_recording(to, "dada", dada);
    add_recording(to, "guppi", guppi);
    add_recording(to, "mark5b", mark5b, {2});
    add_recording(to, "mwa32t", mwa32t);
    add_recording(to, "sigmf", sigmf_archive);
    add_sigmf_metadata(to);
    add_recording(to, "file_meta", file_meta);
    add_recording(to, "wav", wav);
    add_spectra(to);
}

} // namespace fuzzed
