/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_BACKENDS_H

#include "kernels/channelizer/channelizer.h"
#include "kernels/channelizer/history.h"
#include "kernels/device/device_factory.h"

namespace gr::fringe::kernels {

//! Double precision and plain loops: what the others are compared with.
std::unique_ptr<channelizer> make_generic_channelizer(const channelizer_params& p);

//! Single precision, vectorized, cache blocked.
std::unique_ptr<channelizer> make_cpu_channelizer(const channelizer_params& p);
//! Makes it on a device.
FRINGE_API device_factory<channelizer, channelizer_params>& channelizer_factory();

//! What it keeps at the start of a stream.
sample_history history_of(const channelizer_params& p);

//! Throws std::invalid_argument naming the parameter that no backend can have.
void check_channelizer(const channelizer_params& p);
//! Throws std::invalid_argument for gains that are not positive or not one per input.
FRINGE_API void check_gains(const std::vector<float>& gains, std::size_t inputs);
//! Throws std::invalid_argument for values that are not finite or not one per input and
//! channel.
FRINGE_API void check_corrections(const channelizer_params& p,
                                  const std::vector<std::complex<float>>& corrections);
//! Throws std::invalid_argument for what channelizer::steer() does not allow.
FRINGE_API void check_steering(const channelizer_params& p, const steering& to);
//! Throws std::invalid_argument when a call of this number of samples has not the delays it needs.
FRINGE_API void
check_steered(const channelizer_params& p, const steering& to, std::size_t samples);
//! Throws std::invalid_argument for a call that process() does not allow.
FRINGE_API void
check_samples(const channelizer_params& p, std::size_t in_stride, std::size_t samples);

//! Bytes of a complex sample of a spectrum.
inline std::size_t spectra_sample_bytes(const channelizer_params& p)
{
    return p.requantize_bits ? 2 : sizeof(std::complex<float>);
}

//! channelizer::blank() for blocks of rows or spectra in the host's memory.
void blank_rows(const channelizer_params& p,
                void* out,
                std::size_t input,
                std::size_t first,
                std::size_t count);

//! Transform bin that holds channel k, and whether it is to be conjugated.
struct bin {
    std::size_t index;
    bool conjugated;
};

/*!
 * Complex samples: the FFT shift puts bin 0 at channel floor(C/2); the conjugated stream
 * has the conjugate of the opposite bin. Real samples: multiplied by (-1)^n, channel k
 * is bin k - C of the stream, which is the conjugate of bin C - k.
 */
inline bin bin_of_channel(const channelizer_params& p, bool conjugated, std::size_t k)
{
    const std::size_t c = p.channels;
    if (!p.complex_samples) {
        return {conjugated ? c - k : k, conjugated};
    }
    const std::size_t shifted = (k + c - c / 2) % c;
    return {conjugated ? (c - shifted) % c : shifted, conjugated};
}

//! Returns the rows of one transform length that the longest shift takes.
inline std::size_t max_shift_rows(const channelizer_params& p)
{
    return (p.max_shift_samples + p.points() - 1) / p.points();
}

//! Largest value of the requantizer.
inline float quantizer_limit(unsigned bits) { return bits == 8 ? 127.0f : 7.0f; }

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_BACKENDS_H */
