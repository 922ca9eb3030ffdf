/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/ms_snapshot.h"
#include "io/durable/output_target.h"
#include "io/visibilities/visibility_writer.h"
#include <fcntl.h>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gr::fringe::io {

namespace fs = std::filesystem;

namespace {

// Absolute: casacore takes the dot at the front of a name for the folder it works in.
fs::path hidden_folder(const fs::path& path)
{
    return fs::absolute(path).parent_path() /
           ("." + path.filename().string() + ".writing");
}

// True for a file that a picture may share with the table that goes on growing: tiles, and
// subtables that are written once.
bool is_shared(const fs::path& name, const std::string& subtable)
{
    if (name == "table.lock")
        return false; // casacore holds a lock on its own
    if (subtable.empty())
        return name.string().find("_TSM") != std::string::npos;
    return subtable != "OBSERVATION" && subtable != "HISTORY";
}

} // namespace

ms_snapshot::ms_snapshot(const std::string& path)
    : d_published(partial_path(path)), d_folder(hidden_folder(path))
{
    fs::create_directory(d_folder);
    d_lock = open(d_folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat opened, named;
    if (d_lock < 0 || flock(d_lock, LOCK_EX | LOCK_NB) != 0 ||
        fstat(d_lock, &opened) != 0 || lstat(d_folder.c_str(), &named) != 0 ||
        opened.st_ino != named.st_ino) {
        const bool no_folder = d_lock < 0;
        if (d_lock >= 0)
            close(d_lock);
        throw std::invalid_argument(
            path + (no_folder ? ": is made in " + d_folder.string() +
                                    ", which is no folder that can be opened; remove it"
                              : ": is being written by another process, in " +
                                    d_folder.string()));
    }
    for (const auto& old : fs::directory_iterator(d_folder))
        fs::remove_all(old);
}

ms_snapshot::~ms_snapshot() { close(d_lock); }

void ms_snapshot::update(const fs::path& from, const fs::path& to)
{
    const std::string subtable =
        from.parent_path() == table() ? "" : from.parent_path().filename().string();
    const bool shared = is_shared(from.filename(), subtable);
    std::error_code error;
    if (shared && fs::equivalent(from, to, error))
        return;
    fs::remove(to); // not written over: a reader may have it open
    if (shared) {
        fs::create_hard_link(from, to, error);
        if (!error)
            return;
    }
    fs::copy_file(from, to);
}

void ms_snapshot::update_folder(const fs::path& from, const fs::path& to)
{
    fs::create_directory(to);
    for (const auto& old : fs::directory_iterator(to))
        if (!fs::exists(from / old.path().filename()))
            fs::remove_all(old);
    for (const auto& entry : fs::directory_iterator(from)) {
        const auto name = to / entry.path().filename();
        if (entry.is_directory())
            update_folder(entry, name);
        else
            update(entry, name);
    }
}

void ms_snapshot::publish()
{
    const fs::path to = d_folder / "picture";
    update_folder(table(), to);
    // The picture before this one stays, and is brought up to date for the next.
    if (!exchange_folders(to, d_published))
        rename_over(to, d_published);
}

void ms_snapshot::move()
{
    rename_over(table(), d_published);
    remove();
}

void ms_snapshot::remove() { fs::remove_all(d_folder); }

} // namespace gr::fringe::io
