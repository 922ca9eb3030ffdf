/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DEVICE_DEVICE_H
#define INCLUDED_FRINGE_KERNELS_DEVICE_DEVICE_H

#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gr::fringe::kernels {

//! Something went wrong on a device: out of memory, lost, a failed launch.
class FRINGE_API device_error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

struct device_info {
    std::size_t index = 0; //!< its number: the 1 of cuda:1
    std::string name;
    int major = 0, minor = 0; //!< compute capability
    std::size_t memory_bytes = 0;
    //! Why it cannot be used, a sentence; empty when it can.
    std::string refused;
};

/*!
 * The streams of a device, as CUDA calls its queues: host to device, compute, device to
 * host, and copies from other devices. Work within one stream runs in the order in which it
 * was enqueued; the streams run side by side, so copies overlap with kernels. Every stage's
 * kernels run in `compute`, but those that take long and that nothing waits for: in
 * `background`, where they have what `compute` leaves of the device.
 */
enum class device_stream { h2d, compute, d2h, peer, background };

class device;

//! Rows of bytes: the first begins at `at`, the next one `pitch` bytes later.
template <class Memory>
struct byte_rows {
    Memory* at;
    std::size_t pitch;
};

//! An event in a stream: it is reached when all work enqueued before it is done.
class FRINGE_API device_event
{
public:
    virtual ~device_event() = default;
    //! Enqueues the event in a stream. May be called again.
    virtual void record(device_stream where) = 0;
    //! Work that is enqueued in `where` from now on waits for the event; the host does not.
    //! An event that was never recorded counts as reached.
    virtual void make_wait(device_stream where) = 0;
    //! The same for a stream of another device of the library.
    virtual void make_wait(device& on, device_stream where) = 0;
    //! Returns whether the event has been reached.
    virtual bool reached() = 0;
    //! The host sleeps until the event is reached. Throws device_error when what came
    //! before it failed.
    virtual void wait() = 0;
};

//! How long some work of a stream takes.
class FRINGE_API device_timer
{
public:
    virtual ~device_timer() = default;
    //! Marks the beginning of the work, behind all that was enqueued before, and its end.
    virtual void begin(device_stream where) = 0;
    virtual void end(device_stream where) = 0;
    //! Seconds from the one to the other; nothing before the end is reached.
    virtual std::optional<double> seconds() = 0;
};

/*!
 * A processor with a memory and queues of its own. The stages that compute on it are not
 * listed here: each has a device_factory.
 *
 * Calls may come from several threads, and none needs to prepare anything: what is current
 * on the calling thread (CUDA's device, for instance) is the device's own matter.
 */
class FRINGE_API device
{
public:
    virtual ~device() = default;
    virtual const device_info& info() const = 0;
    //! Bytes of its memory that are free now, whoever has the others; throws device_error.
    virtual std::size_t free_memory() const = 0;

    //! Memory of the device; throws device_error.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* memory) noexcept = 0;
    //! Host memory that can be copied from and to without a detour.
    virtual void* allocate_host(std::size_t bytes) = 0;
    virtual void release_host(void* memory) noexcept = 0;
    //! Makes host memory that is there already such memory; throws device_error.
    virtual void register_host(void* memory, std::size_t bytes) = 0;
    virtual void unregister_host(void* memory) noexcept = 0;

    //! Host to device, in the stream `h2d`. The host memory must stay until it is done.
    virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
    //! The same for `rows` rows of `width` bytes.
    virtual void upload(const byte_rows<void>& to,
                        const byte_rows<const void>& from,
                        std::size_t width,
                        std::size_t rows) = 0;
    //! Device to host, in the stream `d2h`. The host memory must stay until it is done.
    virtual void download(void* to, const void* from, std::size_t bytes) = 0;
    //! Within the device, in the stream `compute`.
    virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
    //! Whether memory of another device of the library comes here straight, by a link
    //! between the two, which is opened by the first call. Otherwise copy_from() takes the
    //! way through the host.
    virtual bool reaches(device& other) = 0;
    //! Copies `rows` rows of `width` bytes from the memory of another device, or of this
    //! one, in the stream `peer` of this device.
    virtual void copy_from(device& other,
                           const byte_rows<void>& to,
                           const byte_rows<const void>& from,
                           std::size_t width,
                           std::size_t rows) = 0;
    //! Sets `rows` rows of `width` bytes, `pitch` bytes apart, to a byte, in `compute`.
    virtual void
    fill(void* at, std::size_t pitch, int byte, std::size_t width, std::size_t rows) = 0;

    virtual std::unique_ptr<device_event> make_event() = 0;
    //! The host waits for all streams; throws device_error.
    virtual void synchronize() = 0;
    virtual std::unique_ptr<device_timer> make_timer() = 0;
};

/*!
 * A library of devices, opened at run time: the CUDA backend, so that gr-fringe loads on
 * machines that have none.
 */
class FRINGE_API device_library
{
public:
    virtual ~device_library() = default;
    //! The devices found, in the driver's order; throws device_error when the driver
    //! is missing or too old.
    virtual std::vector<device_info> devices() = 0;
    //! Device number `index`, the same one at every call; throws device_error.
    virtual std::shared_ptr<device> open(std::size_t index) = 0;
};

//! What the library exports as `fringe_device_library`: null and a sentence in `why` when
//! it does not fit this version of gr-fringe.
using device_library_function = device_library* (*)(const char* version,
                                                    const char** why);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DEVICE_DEVICE_H */
