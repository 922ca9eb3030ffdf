/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording.h"
#include "read_by_many.h"
#include "scratch.h"
#include <boost/test/unit_test.hpp>
#include <fcntl.h>
#include <hdf5.h>
#include <random>
#include <unistd.h>

using namespace gr::fringe;
using io::damaged_recording;
using io::format_by_name;

namespace {

using bytes = std::vector<std::uint8_t>;

// A small HDF5 file, made with the library itself.
class hdf5_maker
{
public:
    explicit hdf5_maker(const std::string& path)
        : d_file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT))
    {
    }
    ~hdf5_maker() { H5Fclose(d_file); }

    void array(const char* name,
               const std::vector<hsize_t>& shape,
               hid_t type,
               const void* data)
    {
        const hid_t space =
            H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
        write(name, space, type, data);
        H5Sclose(space);
    }
    void text(const char* name, const std::string& value, bool variable, bool scalar)
    {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, variable ? H5T_VARIABLE : value.size());
        const hsize_t single = 1;
        const hid_t space =
            scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &single, nullptr);
        const char* pointer = value.c_str();
        write(name,
              space,
              type,
              variable ? static_cast<const void*>(&pointer) : value.data());
        H5Sclose(space);
        H5Tclose(type);
    }
    void group(const char* name)
    {
        H5Gclose(H5Gcreate2(d_file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }

private:
    void write(const char* name, hid_t space, hid_t type, const void* data)
    {
        const hid_t set =
            H5Dcreate2(d_file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(set);
    }
    hid_t d_file;
};

const std::string config = R"({"name": "A hill", "frequency": 1575420000.0,
  "L0_frequency": 1571328000.0, "sampling_frequency": 16368000.0, "num_antenna": 5})";

constexpr std::size_t antennas = 5, row_bytes = 4000;

bytes random_bytes(std::size_t count)
{
    std::mt19937 random(2);
    bytes b(count);
    for (auto& x : b)
        x = static_cast<std::uint8_t>(random());
    return b;
}

void make_tart(const std::string& path, const bytes& data, bool variable = true)
{
    hdf5_maker file(path);
    file.array("data", {antennas, row_bytes}, H5T_NATIVE_UINT8, data.data());
    file.text("config", config, variable, !variable);
    file.text("timestamp", "2026-06-12T11:20:40.5+00:00", variable, !variable);
}

std::unique_ptr<io::recording> open(const std::string& path, std::size_t streams = 0)
{
    return format_by_name("tart").open(path, {streams});
}

// What f() prints to the standard error.
template <class F>
std::string printed(const std::string& path, F&& f)
{
    const int kept = dup(2);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, 2);
    f();
    dup2(kept, 2);
    ::close(file);
    ::close(kept);
    const auto text = read_bytes(path);
    return std::string(text.begin(), text.end());
}

} // namespace

BOOST_AUTO_TEST_CASE(tart_is_read_as_it_is_described)
{
    const scratch folder;
    const auto data = random_bytes(antennas * row_bytes);
    for (const bool variable : {true, false}) {
        make_tart(folder / "x.hdf", data, variable);
        const auto file = open(folder / "x.hdf");
        const auto& info = file->info();
        BOOST_CHECK_EQUAL(info.streams, antennas);
        BOOST_CHECK_EQUAL(info.samples, 8 * row_bytes);
        BOOST_CHECK_EQUAL(info.sample_rate, 16.368e6);
        BOOST_CHECK_EQUAL(info.center_frequency, 1575.42e6);
        BOOST_CHECK(info.has_start_time);
        BOOST_CHECK_EQUAL(info.start_time.iso(1), "2026-06-12T11:20:40.5");
        BOOST_CHECK_EQUAL(info.remarks, "A hill");
    }

    const auto& format = format_by_name("tart");
    const auto file = open(folder / "x.hdf", antennas);
    const std::size_t first = 1000 * 8, count = 777 * 8;
    bytes part(format.encoding.bytes(antennas, count));
    file->read(first, count, part.data());
    std::vector<std::size_t> rows{0, 1, 2, 3, 4};
    for (const int backend : {0, 1}) {
        std::vector<std::int8_t> out(antennas * count);
        format.encoding.unpack[backend][0](
            part.data(), antennas, count, rows.data(), out.data(), count);
        std::size_t wrong = 0;
        for (std::size_t a = 0; a < antennas; a++)
            for (std::size_t t = 0; t < count; t++) {
                const auto byte = data[a * row_bytes + (first + t) / 8];
                wrong += out[a * count + t] != ((byte << (t % 8)) & 128 ? 1 : -1);
            }
        BOOST_CHECK_EQUAL(wrong, 0u);
    }
    check_refused<std::invalid_argument>([&] { file->read(4, 8, part.data()); },
                                         {"groups of 8"});
}

BOOST_AUTO_TEST_CASE(many_threads_read_one_tart_file)
{
    const scratch folder;
    make_tart(folder / "x.hdf", random_bytes(antennas * row_bytes));
    check_read_by_many(folder / "x.hdf", "tart", 0, 6);
}

BOOST_AUTO_TEST_CASE(damaged_tart_files_are_refused_without_a_stack_trace)
{
    using std::invalid_argument;
    const scratch folder;
    const auto data = random_bytes(antennas * row_bytes);
    const std::string x = folder / "x.hdf";
    const auto refused = [&](auto error, const std::vector<std::string>& words) {
        check_refused<decltype(error)>([&] { open(x); }, words);
    };
    const std::string noise = printed(folder / "stderr", [&] {
        make_tart(x, data);
        check_refused<invalid_argument>([&] { open(x, 4); }, {x, "5 antennas", "4"});
        auto cut = read_bytes(x);
        cut.resize(cut.size() / 2);
        write_bytes(x, cut);
        refused(damaged_recording(""), {x, "damaged HDF5", "truncated"});
        write_bytes(x, data);
        refused(invalid_argument(""), {x, "is not an HDF5 file"});
        {
            hdf5_maker(x).text("config", config, true, true);
        }
        refused(invalid_argument(""), {x, "no dataset 'data'"});
        {
            hdf5_maker(x).group("data");
        }
        refused(invalid_argument(""), {x, "not a dataset"});
        {
            hdf5_maker(x).array("data", {5, 1000}, H5T_NATIVE_FLOAT, data.data());
        }
        refused(invalid_argument(""), {x, "does not hold bytes"});
        {
            hdf5_maker(x).array("data", {5000}, H5T_NATIVE_UINT8, data.data());
        }
        refused(invalid_argument(""), {x, "1 dimensions"});
        {
            hdf5_maker(x).array("data", {5, 0}, H5T_NATIVE_UINT8, data.data());
        }
        refused(invalid_argument(""), {x, "no samples"});
        {
            hdf5_maker file(x);
            file.array("data", {5, 1000}, H5T_NATIVE_UINT8, data.data());
            file.text("timestamp", "yesterday", true, true);
        }
        refused(damaged_recording(""), {x, "timestamp", "yesterday"});
        {
            hdf5_maker file(x);
            file.array("data", {5, 1000}, H5T_NATIVE_UINT8, data.data());
            file.text("config", "{\"sampling_frequency\": \"fast\"}", true, true);
        }
        refused(damaged_recording(""), {x, "sampling_frequency", "not a number"});
        {
            hdf5_maker(x).array("data", {5, 1000}, H5T_NATIVE_UINT8, data.data());
        }
        const auto file = open(x);
        BOOST_CHECK_EQUAL(file->info().sample_rate, 0);
        BOOST_CHECK(!file->info().has_start_time);
    });
    BOOST_CHECK_EQUAL(noise, "");
}

BOOST_AUTO_TEST_CASE(a_real_tart_recording_has_its_known_sums)
{
    const char* given = std::getenv("FRINGE_TEST_DATA");
    const std::string path =
        std::string(given ? given : "../shared/data") + "/tart/mg-tana-raw.hdf";
    if (!std::filesystem::exists(path)) {
        BOOST_TEST_MESSAGE("SKIPPED: a_real_tart_recording_has_its_known_sums: no "
                           << path);
        return;
    }
    const auto file = open(path);
    BOOST_CHECK_EQUAL(file->info().streams, 24u);
    BOOST_CHECK_EQUAL(file->info().samples, 1u << 20);
    BOOST_CHECK_EQUAL(file->info().start_time.iso(0), "2026-06-12T11:20:40");
    BOOST_CHECK_EQUAL(file->info().center_frequency, 1575.42e6);
    const std::size_t bytes_each = 131072;
    bytes raw(24 * bytes_each);
    file->read(0, 1u << 20, raw.data());
    const auto zero_lag = [&](std::size_t i, std::size_t j) {
        long differ = 0;
        for (std::size_t n = 0; n < bytes_each; n++)
            differ +=
                __builtin_popcount(raw[i * bytes_each + n] ^ raw[j * bytes_each + n]);
        return (1l << 20) - 2 * differ;
    };
    BOOST_CHECK_EQUAL(zero_lag(0, 1), -91374);
    BOOST_CHECK_EQUAL(zero_lag(15, 16), -191936);
    BOOST_CHECK_EQUAL(zero_lag(9, 15), 157238);
}
