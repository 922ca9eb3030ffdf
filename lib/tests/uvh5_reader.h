/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_UVH5_READER_H
#define INCLUDED_FRINGE_TESTS_UVH5_READER_H

#include <boost/test/unit_test.hpp>
#include <complex>
#include <cstdint>
#include <hdf5.h>
#include <string>
#include <vector>

//! Reads whole datasets of an HDF5 file; what cannot be read ends the test.
class uvh5_reader
{
public:
    explicit uvh5_reader(const std::string& path)
        : d_file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT))
    {
        BOOST_REQUIRE_MESSAGE(d_file >= 0, path << " cannot be opened");
    }
    uvh5_reader(const uvh5_reader&) = delete;
    uvh5_reader& operator=(const uvh5_reader&) = delete;
    ~uvh5_reader() { H5Fclose(d_file); }

    std::vector<hsize_t> shape(const std::string& name) const
    {
        const hid_t set = open(name), space = H5Dget_space(set);
        std::vector<hsize_t> all(
            static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
        H5Sget_simple_extent_dims(space, all.data(), nullptr);
        H5Sclose(space);
        H5Dclose(set);
        return all;
    }

    std::vector<double> numbers(const std::string& name) const
    {
        return read<double>(name, H5T_NATIVE_DOUBLE);
    }
    std::vector<float> reals(const std::string& name) const
    {
        return read<float>(name, H5T_NATIVE_FLOAT);
    }
    std::vector<std::int64_t> integers(const std::string& name) const
    {
        return read<std::int64_t>(name, H5T_NATIVE_INT64);
    }
    std::vector<std::complex<float>> complexes(const std::string& name) const
    {
        const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
        H5Tinsert(type, "r", 0, H5T_NATIVE_FLOAT);
        H5Tinsert(type, "i", 4, H5T_NATIVE_FLOAT);
        auto all = read<std::complex<float>>(name, type);
        H5Tclose(type);
        return all;
    }
    std::vector<char> booleans(const std::string& name) const
    {
        const hid_t set = open(name), type = H5Dget_type(set);
        auto all = read<char>(name, type);
        H5Tclose(type);
        H5Dclose(set);
        return all;
    }
    std::vector<std::string> texts(const std::string& name) const
    {
        const hid_t set = open(name), type = H5Dget_type(set);
        const std::size_t length = H5Tget_size(type);
        BOOST_CHECK(H5Tget_strpad(type) == H5T_STR_NULLPAD && !H5Tis_variable_str(type));
        std::vector<char> raw(length * count(set));
        BOOST_REQUIRE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) >= 0);
        std::vector<std::string> all;
        for (std::size_t k = 0; k < raw.size(); k += length)
            all.emplace_back(std::string(raw.data() + k, length).c_str());
        H5Tclose(type);
        H5Dclose(set);
        return all;
    }

    //! An enumeration of bytes, FALSE = 0 and TRUE = 1.
    bool is_h5py_bool(const std::string& name) const
    {
        const hid_t set = open(name), type = H5Dget_type(set);
        std::int8_t no = -1, yes = -1;
        const bool answer =
            H5Tget_class(type) == H5T_ENUM && H5Tget_size(type) == 1 &&
            H5Tget_nmembers(type) == 2 && H5Tenum_valueof(type, "FALSE", &no) >= 0 &&
            H5Tenum_valueof(type, "TRUE", &yes) >= 0 && no == 0 && yes == 1;
        H5Tclose(type);
        H5Dclose(set);
        return answer;
    }

private:
    hid_t open(const std::string& name) const
    {
        const hid_t set = H5Dopen2(d_file, name.c_str(), H5P_DEFAULT);
        BOOST_REQUIRE_MESSAGE(set >= 0, name << " cannot be opened");
        return set;
    }

    static std::size_t count(hid_t set)
    {
        const hid_t space = H5Dget_space(set);
        const auto points = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
        H5Sclose(space);
        return points;
    }

    template <class T>
    std::vector<T> read(const std::string& name, hid_t type) const
    {
        const hid_t set = open(name);
        std::vector<T> all(count(set));
        BOOST_REQUIRE_MESSAGE(
            H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0,
            name << " cannot be read");
        H5Dclose(set);
        return all;
    }

    hid_t d_file;
};

#endif /* INCLUDED_FRINGE_TESTS_UVH5_READER_H */
