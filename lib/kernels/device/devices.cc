/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/device/devices.h"
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

namespace gr::fringe::kernels {

namespace {

// Beside the library this code is in, wherever that was installed.
std::string beside_this_library(const std::string& file)
{
    Dl_info here;
    if (dladdr(reinterpret_cast<const void*>(&find_devices), &here) && here.dli_fname) {
        const std::string path = here.dli_fname;
        const auto slash = path.rfind('/');
        if (slash != std::string::npos) {
            return path.substr(0, slash + 1) + file;
        }
    }
    return file;
}

// Opens the library once in a process and never closes it: a driver does not like to be
// unloaded.
class opened_library
{
public:
    opened_library()
    {
        const char* asked = std::getenv("FRINGE_DEVICE_LIBRARY");
        const std::string path = asked ? asked : beside_this_library(FRINGE_CUDA_LIBRARY);
        void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            const std::string error = dlerror();
            d_why = !asked && access(path.c_str(), F_OK) != 0
                        ? "gr-fringe was built or installed without its CUDA library (" +
                              path + ")"
                        : "the device library does not load: " + error;
            return;
        }
        const auto get = reinterpret_cast<device_library_function>(
            dlsym(handle, "fringe_device_library"));
        const char* why = "it is not a device library of gr-fringe";
        d_library = get ? get(FRINGE_VERSION, &why) : nullptr;
        if (!d_library) {
            d_why = path + ": " + why;
        }
    }

    device_library* get(std::string& why) const
    {
        why = d_why;
        return d_library;
    }

private:
    device_library* d_library = nullptr;
    std::string d_why;
};

device_library* library(std::string& why)
{
    static const opened_library the_library;
    return the_library.get(why);
}

} // namespace

std::vector<device_info> find_devices(std::string& why)
{
    device_library* const from = library(why);
    if (!from) {
        return {};
    }
    try {
        auto found = from->devices();
        if (found.empty()) {
            why = "the driver finds no device";
        }
        return found;
    } catch (const device_error& e) {
        why = e.what();
        return {};
    }
}

std::shared_ptr<device> open_device(std::size_t index)
{
    std::string why;
    device_library* const from = library(why);
    if (!from) {
        throw device_error(why);
    }
    return from->open(index);
}

} // namespace gr::fringe::kernels
