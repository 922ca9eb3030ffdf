/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/durable/output_target.h"
#include "array/files_read.h"
#include "io/durable/partial_path.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace gr::fringe::io {

namespace fs = std::filesystem;

namespace {

void sync_file(const std::string& name)
{
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    // There are file systems that have nothing to wait for.
    const bool done = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
    const int error = errno;
    if (file >= 0)
        close(file);
    if (!done)
        throw lost_writes(name + ": " + std::strerror(error));
}

// True for anything of that name, a dangling link included.
bool stands(const std::string& name)
{
    std::error_code error;
    return fs::exists(fs::symlink_status(name, error));
}

// One step where the file system can; 0 or the errno.
int rename_without_replacing(const std::string& from, const std::string& to)
{
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    if (stands(to))
        return EEXIST;
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

} // namespace

bool exchange_folders(const std::string& a, const std::string& b)
{
    return renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

namespace {

// What stood at `to` is gone afterwards; 0 or the errno.
int rename_replacing(const std::string& from, const std::string& to)
{
    std::error_code error;
    if (exchange_folders(from, to)) {
        fs::remove_all(from, error);
        return error.value();
    }
    if (errno != EINVAL && errno != ENOSYS && errno != ENOENT)
        return errno;
    const std::string aside = from + ".old";
    if (fs::is_directory(fs::symlink_status(to)))
        fs::rename(to, aside, error);
    const int failed = std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
    fs::remove_all(aside, error);
    return failed;
}

const char* const unfinished = "what an earlier run left unfinished, ";

std::string hidden_path(const std::string& path)
{
    const fs::path p = path;
    return p.parent_path() / ("." + p.filename().string() + ".writing");
}

// False when another open file holds the lock. Where there are no locks nothing is locked.
bool lock_file(int file)
{
    struct flock all {
    };
    all.l_type = F_WRLCK;
    return fcntl(file, F_OFD_SETLK, &all) == 0 || (errno != EAGAIN && errno != EACCES);
}

// True when the open file has that name.
bool is_file(int file, const std::string& name)
{
    struct stat opened, other;
    return fstat(file, &opened) == 0 && lstat(name.c_str(), &other) == 0 &&
           opened.st_dev == other.st_dev && opened.st_ino == other.st_ino;
}

} // namespace

descriptor& descriptor::operator=(descriptor&& other) noexcept
{
    if (d_file >= 0)
        close(d_file);
    d_file = other.give();
    return *this;
}

descriptor::~descriptor()
{
    if (d_file >= 0)
        close(d_file);
}

int descriptor::give()
{
    const int file = d_file;
    d_file = -1;
    return file;
}

output_target::output_target(const std::string& path,
                             kind what,
                             bool overwrite,
                             const std::string& partial)
    : d_path(path),
      d_kind(what),
      d_partial(!partial.empty()           ? partial
                : what == kind::whole_file ? hidden_path(path)
                                           : partial_path(path)),
      d_overwrite(overwrite)
{
    const auto parent = fs::path(path).parent_path();
    const auto folder = parent.empty() ? fs::path(".") : parent;
    std::error_code error;
    if (!fs::is_directory(folder, error))
        throw std::invalid_argument(path + ": the folder " + folder.string() +
                                    " does not exist; make it first");
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        throw std::invalid_argument(path + ": nothing can be written to the folder " +
                                    folder.string() + ": " + std::strerror(errno));
    require_replaceable(d_path);
    require_overwrite(d_path, "");
    require_replaceable(d_partial);
    if (d_kind == kind::measurement_set)
        require_overwrite(d_partial, unfinished);
    else
        make_partial();
}

output_target::~output_target()
{
    struct stat status;
    if (d_file.get() >= 0 && is_ours() && fstat(d_file.get(), &status) == 0 &&
        status.st_size == 0)
        unlink(d_partial.c_str());
}

void output_target::refuse_busy() const
{
    throw std::invalid_argument(d_path + ": is being written by another process, in " +
                                d_partial);
}

// The partial file of a dead process, locked, if there is one.
descriptor output_target::old_partial() const
{
    if (!stands(d_partial))
        return descriptor();
    descriptor old(open(d_partial.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (old.get() < 0 && errno != ENOENT)
        throw std::invalid_argument(d_partial + ": stands in the way of " + d_path +
                                    " and cannot be opened: " + std::strerror(errno));
    if (old.get() >= 0 && !lock_file(old.get()))
        refuse_busy();
    return old;
}

// The process that has locked an old partial file may remove it, so of two processes that find one
// only one goes on; so does only one that has locked the new file.
void output_target::make_partial()
{
    for (int k = 0; k < 10; k++) {
        const descriptor old = old_partial();
        if (old.get() >= 0) {
            if (!is_file(old.get(), d_partial))
                continue; // another process was faster
            struct stat status;
            const bool empty = fstat(old.get(), &status) == 0 && status.st_size == 0;
            if (d_kind != kind::whole_file && !empty)
                require_overwrite(d_partial, unfinished);
            unlink(d_partial.c_str());
        }
        descriptor made(open(
            d_partial.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
        if (made.get() < 0 && errno == EEXIST)
            continue;
        if (made.get() < 0)
            throw std::runtime_error(d_path +
                                     ": cannot be made: " + std::strerror(errno));
        if (!lock_file(made.get()) || !is_file(made.get(), d_partial))
            break;
        d_file = std::move(made);
        return;
    }
    refuse_busy();
}

int output_target::file() const
{
    const int file = fcntl(d_file.get(), F_DUPFD_CLOEXEC, 0);
    if (file < 0)
        throw std::runtime_error(d_path + ": cannot be opened: " + std::strerror(errno));
    return file;
}

bool output_target::is_ours() const { return is_file(d_file.get(), d_partial); }

void output_target::unlock()
{
    struct flock none {
    };
    none.l_type = F_UNLCK;
    if (d_file.get() >= 0)
        fcntl(d_file.get(), F_OFD_SETLK, &none);
}

void output_target::require_replaceable(const std::string& name) const
{
    if (!stands(name))
        return;
    const auto status = fs::symlink_status(name);
    const bool is_set = fs::is_directory(status) && fs::exists(name + "/table.dat");
    const bool is_file = fs::is_regular_file(status);
    const std::string what = is_set                     ? "a MeasurementSet"
                             : is_file                  ? "a file"
                             : fs::is_symlink(status)   ? "a link"
                             : fs::is_directory(status) ? "a folder"
                                                        : "not a plain file";
    if (d_kind == kind::measurement_set ? !is_set : !is_file)
        throw std::invalid_argument(name + ": exists and is " + what +
                                    ", which is never replaced; choose another name");
    const std::string read = array::read_in_place_of(name);
    if (!read.empty())
        throw std::invalid_argument(d_path + ": would replace " + read +
                                    ", which is read; choose another name");
}

void output_target::require_overwrite(const std::string& name, const char* which) const
{
    if (stands(name) && !d_overwrite)
        throw std::invalid_argument(
            name + ": exists (" + which +
            (d_kind == kind::measurement_set ? "a MeasurementSet" : "a file") +
            "); choose another name, remove it or allow overwriting (overwrite=True)");
}

void output_target::require_whole(bool broken, std::uint64_t dumps) const
{
    if (broken)
        throw std::runtime_error(d_path + ": was not written whole");
    if (dumps == 0)
        throw std::runtime_error(d_path +
                                 ": not one dump was written, so no file is made");
}

void output_target::require_free() const
{
    if (!d_overwrite && stands(d_path))
        throw std::runtime_error(d_path + ": came into being while this run was writing");
}

void output_target::sync() const
{
    try {
        if (!fs::is_directory(d_partial)) {
            sync_file(d_partial);
            return;
        }
        for (const auto& entry : fs::recursive_directory_iterator(d_partial))
            if (entry.is_regular_file())
                sync_file(entry.path());
    } catch (const lost_writes& e) {
        throw lost_writes(d_path + ": the disk did not take all of it: " + e.what());
    }
}

void output_target::commit()
{
    const bool is_set = d_kind == kind::measurement_set;
    if (!is_set && !is_ours())
        throw std::runtime_error(d_path + ": something else took the place of " +
                                 d_partial + " while this run was writing to it");
    sync();
    int error = rename_without_replacing(d_partial, d_path);
    if (error == EEXIST && d_overwrite) {
        require_replaceable(d_path);
        // A file replaces another in one step; a folder has to be exchanged.
        error = is_set ? rename_replacing(d_partial, d_path)
                : std::rename(d_partial.c_str(), d_path.c_str()) == 0 ? 0
                                                                      : errno;
    }
    if (error == EEXIST)
        require_free();
    if (error)
        throw std::runtime_error(d_path +
                                 ": cannot be given its name: " + std::strerror(error));
    unlock();
}

void output_target::leave()
{
    unlock();
    sync();
}

void close_written(int file, const std::string& name)
{
    if (close(file) != 0)
        throw lost_writes(name +
                          ": the disk did not take all of it: " + std::strerror(errno));
}

void rename_over(const std::string& from, const std::string& to)
{
    if (const int error = rename_replacing(from, to))
        throw std::runtime_error(to + ": cannot be replaced by " + from + ": " +
                                 std::strerror(error));
}

void output_target::discard()
{
    std::error_code error;
    if (d_kind == kind::measurement_set || is_ours())
        fs::remove_all(d_partial, error);
    unlock();
    if (error)
        throw std::runtime_error(d_partial + ": cannot be removed: " + error.message());
}

void output_target::clear()
{
    if (fs::is_directory(fs::symlink_status(d_partial)) && fs::is_empty(d_partial)) {
        fs::remove(d_partial); // a run that ended before it wrote anything
        return;
    }
    require_replaceable(d_partial);
    require_overwrite(d_partial, unfinished);
    discard();
}

void output_target::require_space(std::uint64_t bytes, const std::string& what) const
{
    std::error_code error;
    const auto parent = fs::path(d_path).parent_path();
    const auto space = fs::space(parent.empty() ? fs::path(".") : parent, error);
    if (!error && space.available < bytes)
        throw std::runtime_error(d_path + ": the disk is full: " + what + " needs " +
                                 std::to_string(bytes) + " bytes and " +
                                 std::to_string(space.available) + " are left");
}

} // namespace gr::fringe::io
