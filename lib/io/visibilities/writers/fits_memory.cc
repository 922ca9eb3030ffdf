/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/fits_memory.h"
#include <cstdlib>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

// cfitsio takes char* for what it only reads.
char* text(const std::string& s) { return const_cast<char*>(s.c_str()); }

std::vector<char*> texts(const std::vector<std::string>& all)
{
    std::vector<char*> pointers;
    for (const auto& s : all)
        pointers.push_back(text(s));
    return pointers;
}

constexpr std::size_t step = 10 * 2880;

} // namespace

fits_memory::fits_memory(std::size_t room) : d_buffer(std::calloc(room, 1)), d_size(room)
{
    fits_create_memfile(&d_file, &d_buffer, &d_size, step, std::realloc, &d_status);
    check();
}

fits_memory::~fits_memory()
{
    int status = 0;
    if (d_file)
        fits_close_file(d_file, &status);
    std::free(d_buffer);
}

void fits_memory::check()
{
    if (d_status == 0)
        return;
    char why[FLEN_STATUS];
    fits_get_errstatus(d_status, why);
    fits_clear_errmsg();
    throw std::runtime_error(std::string("cfitsio: ") + why);
}

void fits_memory::groups(const std::vector<long>& axes, std::size_t parameters)
{
    auto lengths = axes;
    fits_write_grphdr(d_file,
                      1,
                      FLOAT_IMG,
                      static_cast<int>(axes.size()),
                      lengths.data(),
                      static_cast<LONGLONG>(parameters),
                      1,
                      1,
                      &d_status);
    check();
}

void fits_memory::image(const std::vector<long>& axes)
{
    auto lengths = axes;
    fits_create_img(
        d_file, FLOAT_IMG, static_cast<int>(axes.size()), lengths.data(), &d_status);
    check();
}

void fits_memory::pixels(const float* values, std::size_t count)
{
    fits_write_img(d_file,
                   TFLOAT,
                   1,
                   static_cast<LONGLONG>(count),
                   const_cast<float*>(values),
                   &d_status);
    check();
}

void fits_memory::table(const std::string& name,
                        std::size_t rows,
                        const std::vector<std::string>& names,
                        const std::vector<std::string>& forms,
                        const std::vector<std::string>& units)
{
    fits_create_tbl(d_file,
                    BINARY_TBL,
                    static_cast<LONGLONG>(rows),
                    static_cast<int>(names.size()),
                    texts(names).data(),
                    texts(forms).data(),
                    texts(units).data(),
                    text(name),
                    &d_status);
    check();
}

void fits_memory::key(const std::string& name, const std::string& value)
{
    fits_update_key_str(d_file, text(name), text(value), nullptr, &d_status);
    check();
}

void fits_memory::key(const std::string& name, double value)
{
    // As many digits as tell one double from the next.
    fits_update_key_dbl(d_file, text(name), value, -16, nullptr, &d_status);
    check();
}

void fits_memory::key(const std::string& name, int value)
{
    fits_update_key_lng(d_file, text(name), value, nullptr, &d_status);
    check();
}

void fits_memory::history(const std::string& line)
{
    fits_write_history(d_file, text(line), &d_status);
    check();
}

void fits_memory::column(int number, const std::vector<std::string>& values)
{
    fits_write_col_str(d_file,
                       number,
                       1,
                       1,
                       static_cast<LONGLONG>(values.size()),
                       texts(values).data(),
                       &d_status);
    check();
}

void fits_memory::column(int number, const std::vector<double>& values)
{
    fits_write_col_dbl(d_file,
                       number,
                       1,
                       1,
                       static_cast<LONGLONG>(values.size()),
                       const_cast<double*>(values.data()),
                       &d_status);
    check();
}

std::string fits_memory::cards()
{
    char* header = nullptr;
    int count = 0;
    fits_hdr2str(d_file, 0, nullptr, 0, &header, &count, &d_status);
    check();
    std::string all = header;
    int status = 0;
    fits_free_memory(header, &status);
    const auto end = all.find("END     ", all.size() >= 80 ? all.size() - 80 : 0);
    return all.substr(0, end == std::string::npos ? all.size() : end);
}

std::string fits_memory::bytes()
{
    LONGLONG header = 0, data = 0, end = 0;
    fits_flush_file(d_file, &d_status);
    fits_get_hduaddrll(d_file, &header, &data, &end, &d_status);
    check();
    return std::string(static_cast<char*>(d_buffer), static_cast<std::size_t>(end));
}

} // namespace gr::fringe::io
