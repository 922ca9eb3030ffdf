/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_OUTPUT_TARGET_H
#define INCLUDED_FRINGE_IO_OUTPUT_TARGET_H

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gr {
namespace fringe {
namespace io {

//! A disk said too late that it could not keep what it had taken: which dumps are there
//! nobody knows.
class lost_writes : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

//! Closes a file that was written. Some disks, those of a network or with quotas, say only
//! now that they are full: throws lost_writes, in a sentence that begins with `name`.
void close_written(int file, const std::string& name);

/*!
 * A file or folder in the making: it has its partial name until commit() gives it its
 * own.
 *
 * What stands at either name is replaced only when that was asked for and when it is of
 * the kind that is being written: a folder that merely ends in ".ms" stays.
 */
class output_target
{
public:
    //! What is being written.
    enum class kind { file, measurement_set };

    //! Throws std::invalid_argument when something stands in the way or the folder cannot
    //! be written to. A partial file of an earlier run is removed when overwriting.
    //! `partial` is the name while it is being made; "" = partial_path(path).
    output_target(const std::string& path,
                  kind what,
                  bool overwrite,
                  const std::string& partial = "");

    const std::string& path() const { return d_path; }
    const std::string& partial() const { return d_partial; }

    //! Throws std::runtime_error when the file must keep its partial name: something went
    //! wrong, or there is no dump in it.
    void require_whole(bool broken, std::uint64_t dumps) const;
    //! Throws std::runtime_error when something has that name that is not to be replaced.
    void require_free() const;
    //! Gives the partial file its own name, in one step even where it replaces another,
    //! when all of it is on the disk: what has that name is whole after a power failure,
    //! too. Throws lost_writes when the disk did not take it, else std::runtime_error.
    void commit();
    //! Waits until the partial file is on the disk. Throws lost_writes.
    void sync() const;
    //! Removes the partial file.
    void discard();
    //! Throws std::runtime_error when the disk has not `bytes` left; `what` needs them.
    void require_space(std::uint64_t bytes, const std::string& what) const;

private:
    void refuse_unless_replaceable(const std::string& name, const char* unfinished) const;

    std::string d_path;
    std::string d_partial;
    kind d_kind;
    bool d_overwrite;
};

//! Gives `from` the name `to`; what stood there is gone. At every instant there is one or
//! the other by that name, where the file system can exchange two names (most can; else
//! there is none for a moment). Throws std::runtime_error.
void rename_over(const std::string& from, const std::string& to);

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_OUTPUT_TARGET_H */
