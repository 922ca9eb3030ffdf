/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_OUTPUT_TARGET_H
#define INCLUDED_FRINGE_IO_OUTPUT_TARGET_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <stdexcept>
#include <string>

namespace gr::fringe::io {

//! A disk reported too late that it could not keep what it had taken: which dumps are there
//! nobody knows.
class lost_writes : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

//! Closes a file that was written. Some disks, those of a network or with quotas, say only
//! now that they are full: throws lost_writes, in a sentence that begins with `name`.
void close_written(int file, const std::string& name);

//! The descriptor of a file, which it closes.
class descriptor
{
public:
    explicit descriptor(int file = -1) : d_file(file) {}
    descriptor(descriptor&& other) noexcept : d_file(other.give()) {}
    descriptor& operator=(descriptor&& other) noexcept;
    ~descriptor();
    int get() const { return d_file; }
    //! Hands it to who closes it.
    int give();

private:
    int d_file;
};

/*!
 * A file or folder in the making: it has its partial name until commit() gives it its
 * own. Everything that is written comes through here.
 *
 * What stands at either name is replaced only when that was asked for, when it is of the
 * kind that is being written (a plain file, or a MeasurementSet: never a link, a device, a
 * pipe, a folder that merely ends in ".ms"), and when nothing that this run reads would be
 * lost (array::reading_scope).
 *
 * The partial file is made anew, where a link that waits there is not followed, and it is
 * locked while it is written: of two processes with one output the second is refused. What
 * a dead process left is not locked any more. (These are locks of the open file, F_OFD_SETLK,
 * of which readers that use flock(), HDF5 say, see nothing.)
 */
class FRINGE_API output_target
{
public:
    //! What is being written. The partial file of a `whole_file` is of no use to anybody:
    //! its name is hidden, ".x.writing", and one that a dead process left is removed
    //! unasked.
    enum class kind { file, whole_file, measurement_set };

    //! Throws std::invalid_argument when something stands in the way, another process is
    //! writing there, or the folder cannot be written to. A partial file of an earlier run
    //! is removed when overwriting, or when it is empty. `partial` is the name while it is being made; "" = as
    //! the kind has it.
    output_target(const std::string& path,
                  kind what,
                  bool overwrite,
                  const std::string& partial = "");
    output_target(output_target&&) = default;
    //! Removes a partial file that is empty.
    ~output_target();

    const std::string& path() const { return d_path; }
    const std::string& partial() const { return d_partial; }
    //! The partial file, empty at first, to be written and closed by the caller.
    int file() const;

    //! Throws std::runtime_error when the file must keep its partial name: something went
    //! wrong, or there is no dump in it.
    void require_whole(bool broken, std::uint64_t dumps) const;
    //! Throws std::runtime_error when something has that name that is not to be replaced.
    void require_free() const;
    //! Gives the partial file its own name, in one step even where it replaces another,
    //! when all of it is on the disk: what has that name is whole after a power failure,
    //! too. Throws lost_writes when the disk did not take it, else std::runtime_error.
    void commit();
    //! Leaves the partial file as it is, on the disk, for the user. Throws
    //! lost_writes.
    void leave();
    //! Removes the partial file.
    void discard();
    //! Removes the partial MeasurementSet of an earlier run, when nobody else writes there.
    void clear();
    //! Throws std::runtime_error when the disk has not `bytes` left; `what` needs them.
    void require_space(std::uint64_t bytes, const std::string& what) const;

private:
    void require_replaceable(const std::string& name) const;
    void require_overwrite(const std::string& name, const char* unfinished) const;
    void make_partial();
    descriptor old_partial() const;
    [[noreturn]] void refuse_busy() const;
    bool is_ours() const;
    void sync() const;
    void unlock();

    std::string d_path;
    kind d_kind;
    std::string d_partial;
    bool d_overwrite;
    descriptor d_file; // of the partial file, locked
};

//! Two names change places in one step; false where there are not both, or where the file
//! system cannot do it.
bool exchange_folders(const std::string& a, const std::string& b);

//! Gives `from` the name `to`; what stood there is gone. At every instant there is one or
//! the other by that name, where the file system can exchange two names (most can; else
//! the name is missing for a moment). Throws std::runtime_error.
void rename_over(const std::string& from, const std::string& to);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_OUTPUT_TARGET_H */
