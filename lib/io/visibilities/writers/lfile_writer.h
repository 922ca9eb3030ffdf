/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_LFILE_WRITER_H
#define INCLUDED_FRINGE_IO_LFILE_WRITER_H

#include "io/certificates/certificate.h"
#include "io/durable/growing_file.h"
#include "io/durable/output_target.h"
#include "io/visibilities/visibility_writer.h"
#include <memory>

namespace gr::fringe::io {

//! One of the raw files of an L-file: [dump][product][channel] in the machine's byte
//! order.
struct lfile_part {
    std::string path;
    std::vector<std::size_t> products; //!< of the correlator, in the file's order
    bool real;                         //!< float32, else complex64
};

/*!
 * Writes some or all products of the correlator to raw files, without phasing, and a YAML
 * file, the first one's path with ".yml" appended, that says what is in them. Values that
 * have no valid sample are 0. Of a dump that cannot be written nothing stays in any of
 * the files.
 */
class lfile_writer : public visibility_writer
{
public:
    //! `what` describes the files in the comment at the head of the YAML file.
    lfile_writer(const std::vector<lfile_part>& parts,
                 const std::string& what,
                 const visibility_file_params& params);
    ~lfile_writer() override;

    void write(const dump& d) override;
    std::uint64_t saved() const override { return d_dumps; }
    void note(const std::string& line) override { d_notes += line + "\n"; }
    void finish() override;
    void abandon() override;

private:
    struct file {
        output_target target;
        std::unique_ptr<growing_file> data;
    };

    std::uint32_t write_part(const lfile_part& part, growing_file& to, const dump& d);
    void describe(const std::string& text);
    void discard();

    const visibility_file_params d_params;
    const std::vector<lfile_part> d_parts;
    std::vector<file> d_files; // of the parts, and the description
    std::size_t d_dumps = 0;
    std::string d_notes;
    certificate d_certificate;
    std::uint32_t d_description = 0;   // CRC-32C of the description as it is
    std::vector<std::uint32_t> d_crcs; // of the next dump in each part
    bool d_closed = false;
    std::vector<float> d_block;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_LFILE_WRITER_H */
