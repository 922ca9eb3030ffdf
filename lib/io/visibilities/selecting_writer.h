/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SELECTING_WRITER_H
#define INCLUDED_FRINGE_IO_SELECTING_WRITER_H

#include "io/visibilities/visibility_writer.h"
#include "io/visibilities/writers/baseline_layout.h"

namespace gr::fringe::io {

//! Whether a row is one of the products "all", "autos" or "crosses".
inline bool holds(const std::string& products, const baseline_layout::row& r)
{
    return products == "all" || (products == "autos") == (r.antenna1 == r.antenna2);
}

/*!
 * Takes dumps of autos or crosses only, as dump_axes orders them, for a file of antenna
 * pairs, which gets dumps of all products of which only those rows are written.
 */
class selecting_writer : public visibility_writer
{
public:
    selecting_writer(const std::string& path,
                     const visibility_file_params& params,
                     std::unique_ptr<visibility_writer> file);

    void write(const dump& d) override;
    void idle() override { d_file->idle(); }
    std::uint64_t saved() const override { return d_file->saved(); }
    void note(const std::string& line) override { d_file->note(line); }
    void finish() override { d_file->finish(); }
    void abandon() override { d_file->abandon(); }

private:
    const std::string d_path;
    const std::unique_ptr<visibility_writer> d_file;
    std::vector<std::size_t> d_places; // [product that is there]
    std::size_t d_channels, d_products;
    dump d_whole;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SELECTING_WRITER_H */
