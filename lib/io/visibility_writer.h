/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_VISIBILITY_WRITER_H
#define INCLUDED_FRINGE_IO_VISIBILITY_WRITER_H

#include <complex>
#include <cstdint>
#include <gnuradio/fringe/observation.h>
#include <memory>
#include <string>
#include <vector>

namespace gr {
namespace fringe {
namespace io {

//! One dump: the visibilities of one integration.
struct dump {
    epoch start;         //!< of the first spectrum
    double interval = 0; //!< seconds from the first spectrum to the end of the last
    double exposure = 0; //!< seconds of valid data in it
    std::vector<std::complex<float>> visibilities; //!< [channel][baseline]
    std::vector<float> weights; //!< [channel][baseline], fraction of valid samples
};

//! What a visibility file is made with.
struct visibility_file_params {
    fringe::observation observation;
    std::size_t channels = 0;
    bool complex_samples = true; //!< for the frequency axis, see observation
    bool overwrite = false;
    std::string history; //!< one line for the file's history: the command, the version
};

/*!
 * A visibility file being written.
 *
 * Until finish() everything goes to `partial_path(path)`, whose name says that it is not
 * whole; it can be opened at any time up to the last whole dump. finish() gives it its
 * own name. Nothing is ever overwritten unless asked for. Errors are std::runtime_error
 * with a sentence that names the file.
 */
class FRINGE_API visibility_writer
{
public:
    virtual ~visibility_writer() = default;
    virtual void write(const dump& d) = 0;
    //! Everything was written: gives the file its own name.
    virtual void finish() = 0;
    //! Something went wrong: leaves what was written under the partial name, or nothing
    //! at all when no dump was written.
    virtual void abandon() = 0;
};

//! "dir/x.ms" -> "dir/x.partial.ms".
FRINGE_API std::string partial_path(const std::string& path);

//! Opens a file for writing; its format is chosen by the ending of `path`: see
//! visibility_formats().
//! Throws std::invalid_argument for an unknown ending, an existing file or a missing
//! folder.
FRINGE_API std::unique_ptr<visibility_writer>
open_visibility_file(const std::string& path, const visibility_file_params&);

//! The endings there are, each with a line on what it is.
FRINGE_API std::vector<std::pair<std::string, std::string>> visibility_formats();

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_VISIBILITY_WRITER_H */
