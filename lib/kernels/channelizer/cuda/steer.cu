/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/steer.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 128;

//! Frequencies in Hz, or turns per second.
struct steer_call {
    const double* delays;          //!< [input][spectra], seconds
    const std::uint8_t* conjugate; //!< [input]
    unsigned inputs, spectra;
    int* shifts;   //!< [input][pitch]
    float2* turns; //!< [input][pitch]
    std::size_t pitch;
    double rate, max_shift, width; //!< max_shift in samples
    double of_delay;               //!< of the middle channel
    double of_shift[2];            //!< the same, [conjugated]
};

//! A thread a spectrum of an input.
__global__ void steer(const steer_call c)
{
    const unsigned n = blockIdx.x * threads + threadIdx.x;
    const unsigned input = n / c.spectra, s = n % c.spectra;
    if (input >= c.inputs) {
        return;
    }
    const double delay = c.delays[n];
    // A product that is rounded by itself, as on the host: shifts must be the same.
    const double samples = rint(__dmul_rn(delay, c.rate));
    const double shift = fmin(fmax(samples, -c.max_shift), c.max_shift);
    const double taken = shift / c.rate;
    const double turns = c.of_delay * delay - c.of_shift[c.conjugate[input] != 0] * taken;
    const std::size_t at = input * c.pitch + s;
    c.shifts[at] = static_cast<int>(shift);
    c.turns[at] = make_float2(static_cast<float>(turns - rint(turns)),
                              static_cast<float>(c.width * (delay - taken)));
}

} // namespace

device_steering::device_steering(const cuda_context& c,
                                 const channelizer_params& p,
                                 const std::uint8_t* conjugate)
    : d_context(c),
      d_conjugate(conjugate),
      d_complex(p.complex_samples),
      d_inputs(p.inputs),
      d_channels(p.channels),
      d_points(p.points()),
      d_max_shift(p.max_shift_samples),
      d_pitch(p.block_spectra),
      d_gathered(p.inputs * p.block_spectra),
      d_staging(c, d_gathered.size() * sizeof(double)),
      d_delays(c, d_gathered.size()),
      d_shifts(c, d_gathered.size()),
      d_turns(c, d_gathered.size())
{
}

void device_steering::aim(const steering& to, std::size_t spectra)
{
    const std::size_t count = d_inputs * spectra;
    const double* from = to.delays;
    if (to.stride != spectra) {
        for (std::size_t i = 0; i < d_inputs; i++) {
            std::copy_n(
                to.delays + i * to.stride, spectra, d_gathered.data() + i * spectra);
        }
        from = d_gathered.data();
    }
    d_staging.copy(d_delays.data(), from, count * sizeof(double));
    steer_call c;
    c.delays = d_delays.data();
    c.conjugate = d_conjugate;
    c.inputs = static_cast<unsigned>(d_inputs);
    c.spectra = static_cast<unsigned>(spectra);
    c.shifts = d_shifts.data();
    c.turns = d_turns.data();
    c.pitch = d_pitch;
    c.rate = to.sample_rate;
    c.max_shift = static_cast<double>(d_max_shift);
    c.width = to.sample_rate / static_cast<double>(d_points);
    // From the band's middle: channel 0, the one in the middle, and what the receiver puts
    // at zero.
    const double quarter = d_complex ? 0 : to.sample_rate / 4;
    const double middle =
        d_complex ? 0 : c.width * static_cast<double>(d_channels / 2) - quarter;
    c.of_delay = (to.stop_fringes ? to.frequency : 0) + middle;
    c.of_shift[0] = middle + quarter;
    c.of_shift[1] = middle - quarter;
    const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
    steer<<<blocks, threads, 0, d_context.compute>>>(c);
    check_launch("channelizer: steer");
}

} // namespace gr::fringe::kernels
