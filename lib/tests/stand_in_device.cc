/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// A device library without a device: memory from malloc, streams that are threads, stages
// that run the generic kernels in the stream `compute`. With it everything around the
// kernels (rings, copies, events, ends and failures of flowgraphs) is tested on machines
// without a GPU, with true concurrency: FRINGE_DEVICE_LIBRARY names it.
//
//     FRINGE_STAND_IN_DEVICES=n    n devices, otherwise one
//     FRINGE_STAND_IN_DELAY=us     every piece of work first sleeps up to so long
//     FRINGE_STAND_IN_MEMORY=bytes more cannot be allocated
//     FRINGE_STAND_IN_LOST=n       the n-th piece of work fails, as on a device that is
//                                  lost
//     FRINGE_STAND_IN_HOLD=path    nothing is copied to the host before this file is there
//     FRINGE_STAND_IN_PINNED=0     no host memory can be registered
//     FRINGE_STAND_IN_PEERS=0      no link between devices: copies pass through the host
//     FRINGE_STAND_IN_REFUSED=why  the device says why it cannot be used
//
// FRINGE_STAND_IN_LOST_1 and the like are for device 1 only. A device fails when it is given
// the memory of another one, but for the source of copy_from().
//
// Memory is filled with poison when it is allocated, and gone or poison when it is released.
#include "stand_in_device.h"

namespace stand_in_device {

namespace {

class stand_in_library : public device_library
{
public:
    std::vector<device_info> devices() override
    {
        std::vector<device_info> found;
        for (std::size_t n = 0; n < number_from("DEVICES", 0, 1); ++n) {
            device_info info;
            info.index = n;
            info.name = "stand-in";
            info.memory_bytes = number_from("MEMORY", n, std::size_t(4) << 30);
            const char* refused = setting("REFUSED", n);
            info.refused = refused ? refused : "";
            found.push_back(info);
        }
        return found;
    }
    std::shared_ptr<device> open(std::size_t index) override { return opened(index); }
    std::shared_ptr<stand_in> opened(std::size_t index)
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        std::shared_ptr<stand_in>& opened = d_opened[index];
        if (!opened) {
            opened = std::make_shared<stand_in>(devices().at(index));
        }
        return opened;
    }

private:
    std::mutex d_mutex;
    std::map<std::size_t, std::shared_ptr<stand_in>> d_opened;
};

// Never destroyed: flowgraphs may be, when the process ends, after this library.
stand_in_library& the_library()
{
    static stand_in_library& all = *new stand_in_library;
    return all;
}

} // namespace

std::shared_ptr<stand_in> stand_in_number(std::size_t index)
{
    return the_library().opened(index);
}

} // namespace stand_in_device

extern "C" FRINGE_API gr::fringe::kernels::device_library*
fringe_device_library(const char*, const char**)
{
    return &stand_in_device::the_library();
}
