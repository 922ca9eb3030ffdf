/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/file_checks.h"
#include "io/recordings/recording.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace gr::fringe::io {

namespace {

// The program may sleep so long; its processor time has a limit of its own.
constexpr std::chrono::minutes longest{10};
const char* const dies = "reading it ends the program that does, or does not end";

// Programs lie beside this library, where that is installed and where it is built.
std::string path_of(const std::string& program)
{
    Dl_info here;
    if (dladdr(reinterpret_cast<const void*>(&check_hdf5_file), &here) == 0)
        throw std::runtime_error("the library of gr-fringe has no place");
    const auto library = std::filesystem::canonical(here.dli_fname);
    return library.parent_path() / "gnuradio-fringe" / program;
}

// What a new process begins with: nothing but the pipe, and signals as a shell has them. Ctrl-C goes
// to all processes of a terminal; this one's caller decides what to do.
class beginning
{
public:
    explicit beginning(int out)
    {
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&files, out, 1);
        posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
        posix_spawnattr_init(&attributes);
        sigset_t blocked, restored;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGINT);
        sigfillset(&restored);
        posix_spawnattr_setsigmask(&attributes, &blocked);
        posix_spawnattr_setsigdefault(&attributes, &restored);
        posix_spawnattr_setflags(&attributes,
                                 POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~beginning()
    {
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&files);
    }
    beginning(const beginning&) = delete;
    beginning& operator=(const beginning&) = delete;

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
};

std::string answer(int from, const while_checking& then)
{
    const auto end = std::chrono::steady_clock::now() + longest;
    std::string text(4096, '\0');
    std::size_t bytes = 0;
    while (bytes < text.size() && std::chrono::steady_clock::now() < end) {
        pollfd ready{from, POLLIN, 0};
        const int n = poll(&ready, 1, 100);
        if (n <= 0 && then)
            then();
        if (n == 0 || (n < 0 && errno == EINTR))
            continue;
        const ssize_t got = n > 0 ? read(from, &text[bytes], text.size() - bytes) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        bytes += static_cast<std::size_t>(got);
    }
    text.resize(bytes);
    return text;
}

// The end of the pipe, and the program that writes to it: both end with this.
struct running_program {
    int from;
    pid_t child = -1;

    explicit running_program(int end) : from(end) {}
    running_program(const running_program&) = delete;
    running_program& operator=(const running_program&) = delete;
    ~running_program()
    {
        close(from);
        if (child < 0)
            return;
        kill(child, SIGKILL); // it has answered, or nobody waits for it any more
        while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
};

// What a program answers, "" where it finds nothing wrong. name: of the file, for an error.
std::string checked(const std::string& name,
                    std::vector<std::string> words,
                    const while_checking& then)
{
    const auto refuse = [&](int error) {
        throw std::runtime_error(name + ": cannot be checked: " + words[0] + ": " +
                                 std::strerror(error));
    };
    words[0] = path_of(words[0]);
    std::vector<char*> arguments;
    for (auto& w : words)
        arguments.push_back(w.data());
    arguments.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        refuse(errno);
    running_program program(ends[0]);
    const beginning b(ends[1]);
    const int error = posix_spawn(
        &program.child, arguments[0], &b.files, &b.attributes, arguments.data(), environ);
    close(ends[1]);
    if (error != 0) {
        program.child = -1; // what stands there then is not defined
        refuse(error);
    }
    const std::string report = answer(ends[0], then);
    return report.empty() ? dies : report == "fine" ? "" : report;
}

} // namespace

void check_hdf5_file(const std::string& path, const while_checking& then)
{
    const std::string wrong = checked(path, {"check_hdf5", path}, then);
    if (!wrong.empty())
        throw damaged_recording(path + ": is a damaged HDF5 file: " + wrong);
}

std::string wrong_tables(const std::vector<std::pair<std::string, bool>>& tables,
                         const while_checking& then)
{
    std::vector<std::string> words{"check_tables"};
    for (const auto& [path, whole] : tables) {
        words.emplace_back(whole ? "whole" : "some");
        words.push_back(path);
    }
    return checked(tables.at(0).first, std::move(words), then);
}

} // namespace gr::fringe::io
