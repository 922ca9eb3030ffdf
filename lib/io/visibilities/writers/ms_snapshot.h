/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_MS_SNAPSHOT_H
#define INCLUDED_FRINGE_IO_MS_SNAPSHOT_H

#include <filesystem>
#include <string>

namespace gr::fringe::io {

/*!
 * Makes a MeasurementSet that grows readable at every instant.
 *
 * casacore brings a table up to date file by file, so a process that is killed meanwhile
 * leaves one that cannot be opened. It therefore works in a hidden folder, ".x.ms.writing"
 * beside "x.ms", and publish() puts a picture of it in the place of "x.partial.ms" in a
 * single step. The picture costs little: tiles, which are the bulk, are only ever added
 * to, so the picture has them by hard links; what is changed in place is small and is
 * copied. There are two pictures, which are shown by turns, so that links are made once.
 * Where the file system has no hard links everything is copied.
 *
 * Throws std::runtime_error and std::filesystem::filesystem_error.
 */
class ms_snapshot
{
public:
    //! `path` is the file's own name. What a dead process left in the hidden folder is
    //! removed: all but its last moments is in the partial file. Throws
    //! std::invalid_argument when another process is writing there now.
    explicit ms_snapshot(const std::string& path);
    ms_snapshot(const ms_snapshot&) = delete;
    ms_snapshot& operator=(const ms_snapshot&) = delete;
    ~ms_snapshot();

    //! Where casacore works: a name in the hidden folder.
    std::string table() const { return d_folder / "table"; }
    //! Shows a reader the table as it is; casacore must have flushed it.
    void publish();
    //! The same for the last time, by moving it: casacore must have closed it.
    void move();
    //! Removes the hidden folder.
    void remove();

private:
    // Of a picture that was shown before, what has changed since.
    void update(const std::filesystem::path& from, const std::filesystem::path& to);
    void update_folder(const std::filesystem::path& from,
                       const std::filesystem::path& to);

    const std::string d_published;
    const std::filesystem::path d_folder;
    int d_lock = -1; // held while this lives
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_MS_SNAPSHOT_H */
