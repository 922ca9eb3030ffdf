/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/output_target.h"
#include "io/visibility_writer.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

namespace gr {
namespace fringe {
namespace io {

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

// What stood at `to` is gone afterwards; 0 or the errno.
int rename_replacing(const std::string& from, const std::string& to)
{
    std::error_code error;
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
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

} // namespace

output_target::output_target(const std::string& path,
                             kind what,
                             bool overwrite,
                             const std::string& partial)
    : d_path(path),
      d_partial(partial.empty() ? partial_path(path) : partial),
      d_kind(what),
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
    refuse_unless_replaceable(d_path, "");
    refuse_unless_replaceable(d_partial, "what an earlier run left unfinished, ");
    discard();
}

void output_target::refuse_unless_replaceable(const std::string& name,
                                              const char* unfinished) const
{
    if (!stands(name))
        return;
    const bool is_set = fs::is_directory(name) && fs::exists(name + "/table.dat");
    const bool is_file = fs::is_regular_file(name);
    const bool same_kind = d_kind == kind::file ? is_file : is_set;
    const std::string what = is_set                   ? "a MeasurementSet"
                             : is_file                ? "a file"
                             : fs::is_directory(name) ? "a folder"
                                                      : "not a plain file";
    if (!same_kind)
        throw std::invalid_argument(name + ": exists and is " + what +
                                    ", which is never replaced; choose another name");
    if (!d_overwrite)
        throw std::invalid_argument(name + ": exists (" + unfinished + what +
                                    "); choose another name, remove it or allow "
                                    "overwriting (--overwrite)");
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
    sync();
    int error = rename_without_replacing(d_partial, d_path);
    if (error == EEXIST && d_overwrite) {
        refuse_unless_replaceable(d_path, "");
        error = rename_replacing(d_partial, d_path);
    }
    if (error == EEXIST)
        require_free();
    if (error)
        throw std::runtime_error(d_path +
                                 ": cannot be given its name: " + std::strerror(error));
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
    fs::remove_all(d_partial, error);
    if (error)
        throw std::runtime_error(d_partial + ": cannot be removed: " + error.message());
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

} // namespace io
} // namespace fringe
} // namespace gr
