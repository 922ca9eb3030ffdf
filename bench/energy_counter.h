/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BENCH_ENERGY_COUNTER_H
#define INCLUDED_FRINGE_BENCH_ENERGY_COUNTER_H

#include <dlfcn.h>

namespace gr::fringe::kernels {

//! The energy counter of the first GPU, by NVML.
class energy_counter
{
public:
    energy_counter()
    {
        void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        const auto find = [&](const char* name) {
            return library ? dlsym(library, name) : nullptr;
        };
        const auto init = reinterpret_cast<int (*)()>(find("nvmlInit_v2"));
        const auto handle = reinterpret_cast<int (*)(unsigned, void**)>(
            find("nvmlDeviceGetHandleByIndex_v2"));
        d_read = reinterpret_cast<int (*)(void*, unsigned long long*)>(
            find("nvmlDeviceGetTotalEnergyConsumption"));
        d_limit = reinterpret_cast<int (*)(void*, unsigned*)>(
            find("nvmlDeviceGetEnforcedPowerLimit"));
        d_clock = reinterpret_cast<int (*)(void*, int, unsigned*)>(
            find("nvmlDeviceGetClockInfo"));
        d_works = init && handle && d_read && init() == 0 && handle(0, &d_gpu) == 0 &&
                  joules() > 0;
    }
    bool works() const { return d_works; }
    //! Largest power that the GPU is allowed, in watts; 0 = unknown.
    double limit() const
    {
        unsigned milliwatts = 0;
        return d_works && d_limit && d_limit(d_gpu, &milliwatts) == 0 ? 1e-3 * milliwatts
                                                                      : 0;
    }
    //! Clock of the multiprocessors now, in MHz; 0 = unknown.
    unsigned clock() const
    {
        constexpr int multiprocessors = 1;
        unsigned megahertz = 0;
        return d_works && d_clock && d_clock(d_gpu, multiprocessors, &megahertz) == 0
                   ? megahertz
                   : 0;
    }
    double joules() const
    {
        unsigned long long millijoules = 0;
        return d_read(d_gpu, &millijoules) == 0 ? 1e-3 * double(millijoules) : 0;
    }

private:
    void* d_gpu = nullptr;
    int (*d_read)(void*, unsigned long long*) = nullptr;
    int (*d_limit)(void*, unsigned*) = nullptr;
    int (*d_clock)(void*, int, unsigned*) = nullptr;
    bool d_works = false;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_BENCH_ENERGY_COUNTER_H */
