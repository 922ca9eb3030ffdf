/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/memory.h"
#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>

namespace gr::fringe::kernels {

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

// "name: 123 kB" or "name 123" of each line.
std::map<std::string, std::uint64_t> numbers_of(const std::string& path)
{
    std::map<std::string, std::uint64_t> found;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t value = 0;
        if (words >> name >> value) {
            found[name] = value;
        }
    }
    return found;
}

std::uint64_t number_of(const std::string& path, std::uint64_t otherwise)
{
    std::uint64_t value = 0;
    std::ifstream file(path);
    return file >> value ? value : otherwise; // "max" is no number
}

std::uint64_t left(std::uint64_t limit, std::uint64_t used)
{
    return limit == no_limit ? no_limit : limit - std::min(limit, used);
}

std::uint64_t of_system()
{
    const auto all = numbers_of("/proc/meminfo");
    const auto available = all.find("MemAvailable:");
    const auto swap = all.find("SwapFree:");
    return available == all.end()
               ? no_limit
               : 1024 * (available->second + (swap == all.end() ? 0 : swap->second));
}

// Pages of files that a group has read are given back when memory is wanted.
std::uint64_t of_group(const std::string& folder)
{
    const std::uint64_t used = number_of(folder + "/memory.current", 0);
    const std::uint64_t files = numbers_of(folder + "/memory.stat")["file"];
    return left(number_of(folder + "/memory.max", no_limit),
                used - std::min(used, files));
}

// The group of this process and all those that it is in.
std::uint64_t of_groups()
{
    std::ifstream file("/proc/self/cgroup");
    std::uint64_t least = no_limit;
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("0::/", 0) != 0) {
            continue;
        }
        for (std::string group = line.substr(3);;
             group = group.substr(0, group.rfind('/'))) {
            least = std::min(least, of_group("/sys/fs/cgroup" + group));
            if (group.empty()) {
                break;
            }
        }
    }
    return least;
}

std::uint64_t of_address_space()
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return no_limit;
    }
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return left(limit.rlim_cur, page * number_of("/proc/self/statm", 0));
}

std::string in_words(double bytes)
{
    std::ostringstream s;
    s.precision(3);
    s << (bytes < 1e9 ? bytes * 1e-6 : bytes * 1e-9) << (bytes < 1e9 ? " MB" : " GB");
    return s.str();
}

} // namespace

std::uint64_t free_memory()
{
    return std::min({of_system(), of_groups(), of_address_space()});
}

void require_memory(const std::string& who, const std::string& what, double bytes)
{
    constexpr double never_asked = 64e6; // bytes: so much there is
    if (bytes <= never_asked) {
        return;
    }
    const auto there = static_cast<double>(free_memory());
    if (bytes > there) {
        throw std::runtime_error(who + ": out of memory: " + what + " take " +
                                 in_words(bytes) + ", and " + in_words(there) +
                                 " are free");
    }
}

} // namespace gr::fringe::kernels
