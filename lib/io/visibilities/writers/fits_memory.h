/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_FITS_MEMORY_H
#define INCLUDED_FRINGE_IO_FITS_MEMORY_H

#include <fitsio.h>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * A FITS file in memory, made by cfitsio; its failures are std::runtime_error.
 */
class fits_memory
{
public:
    //! `room` bytes are enough for all of it: cfitsio would take what it finds behind the
    //! end of the last extension, in memory that was used before, for another one.
    explicit fits_memory(std::size_t room);
    fits_memory(const fits_memory&) = delete;
    fits_memory& operator=(const fits_memory&) = delete;
    ~fits_memory();

    //! The header of a primary HDU of one random group, float32.
    void groups(const std::vector<long>& axes, std::size_t parameters);
    //! The header of a primary HDU of an image, float32.
    void image(const std::vector<long>& axes);
    //! The values of the last image, all of them.
    void pixels(const float* values, std::size_t count);
    //! A binary table behind what is there.
    void table(const std::string& name,
               std::size_t rows,
               const std::vector<std::string>& names,
               const std::vector<std::string>& forms,
               const std::vector<std::string>& units);

    // Keywords of the last HDU.
    void key(const std::string& name, const std::string& value);
    void key(const std::string& name, const char* value)
    {
        key(name, std::string(value));
    }
    void key(const std::string& name, double value);
    void key(const std::string& name, int value);
    void history(const std::string& text);

    // A column of the last table, counted from 1, all rows.
    void column(int number, const std::vector<std::string>& values);
    void column(int number, const std::vector<double>& values);

    //! The cards of the last HDU's header, without END.
    std::string cards();
    //! The whole file.
    std::string bytes();

private:
    void check();

    fitsfile* d_file = nullptr;
    void* d_buffer = nullptr;
    std::size_t d_size = 0;
    int d_status = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_FITS_MEMORY_H */
