/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The channelizer against its defining equation, written out here once more.
#include "kernel_cases.h"
#include "kernels/channelizer/channelizer.h"
#include "kernels/channelizer/fft.h"
#include "kernels/channelizer/prototype.h"
#include "kernels/channelizer/real_bins.h"
#include "kernels/channelizer/wide_transform.h"
#include <cmath>

using namespace gr::fringe::kernels;
using namespace kernel_cases;
using complexd = std::complex<double>;

namespace {

const double pi = std::acos(-1.0);
const backend backends[] = {backend::generic, backend::cpu};

complexd turn(double cycles)
{
    return std::polar(1.0, 2 * pi * (cycles - std::floor(cycles)));
}

//! |sum h[n] exp(-2 pi i f n / N)|, f in channels.
double response(const std::vector<double>& h, std::size_t points, double f)
{
    complexd sum = 0;
    for (std::size_t n = 0; n < h.size(); n++) {
        sum += h[n] * turn(-f * static_cast<double>(n) / static_cast<double>(points));
    }
    return std::abs(sum);
}

//! Spectrum s, channel k by the plain sum over the samples of a stream (f32).
complexd expected_spectrum(const channelizer_params& p,
                           const std::vector<double>& h,
                           const float* stream,
                           bool conjugated,
                           std::size_t s,
                           std::size_t k)
{
    const std::size_t points = p.points();
    // Channel k of complex samples lies at k - floor(C/2).
    const double bin = static_cast<double>(k) -
                       (p.complex_samples ? static_cast<double>(p.channels / 2) : 0.0);
    complexd sum = 0;
    for (std::size_t n = 0; n < h.size(); n++) {
        const std::size_t at = s * points + n;
        complexd x;
        if (p.complex_samples) {
            x = {stream[2 * at], conjugated ? -stream[2 * at + 1] : stream[2 * at + 1]};
        } else {
            x = conjugated && at % 2 ? -stream[at] : stream[at];
        }
        sum +=
            h[n] * x * turn(-bin * static_cast<double>(n) / static_cast<double>(points));
    }
    return sum / std::sqrt(static_cast<double>(points));
}

std::vector<std::complex<float>> run(channelizer& c,
                                     const channelizer_params& p,
                                     const bytes& in,
                                     std::size_t stride,
                                     std::size_t samples)
{
    std::vector<std::complex<float>> out(p.channels * p.inputs * p.block_spectra);
    c.process(in.data(), stride, samples, out.data(), nullptr);
    return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(prototype_has_unit_noise_gain_and_is_symmetric)
{
    for (const auto* window : {"rectangular", "hann", "hamming", "blackman", "kaiser"}) {
        for (const unsigned taps : {1, 2, 4, 32}) {
            for (const std::size_t points : {5, 96, 1000}) {
                const auto h = prototype(points, taps, window);
                BOOST_TEST(h.size() == points * taps);
                double power = 0;
                for (std::size_t n = 0; n < h.size(); n++) {
                    power += h[n] * h[n];
                    BOOST_TEST(h[n] == h[h.size() - 1 - n]);
                }
                BOOST_TEST(std::abs(power / static_cast<double>(points) - 1) < 1e-12);
            }
        }
    }
    BOOST_TEST(prototype(7, 1, "rectangular") == std::vector<double>(7, 1.0),
               boost::test_tools::per_element());
    BOOST_TEST(prototype(1, 1, "hann") == std::vector<double>(1, 1.0));
}

BOOST_AUTO_TEST_CASE(stop_band_is_60_db_down_with_8_hann_taps)
{
    const std::size_t points = 32;
    const auto h = prototype(points, 8, "hann");
    const double peak = response(h, points, 0);
    // The pass band ends half a channel from the center; one channel beyond:
    double worst = 0;
    for (double f = 1.5; f <= 16; f += 0.02) {
        worst = std::max(worst, response(h, points, f) / peak);
    }
    BOOST_TEST_MESSAGE("stop band " << 20 * std::log10(worst) << " dB");
    BOOST_TEST(20 * std::log10(worst) <= -60);
}

BOOST_AUTO_TEST_CASE(equals_the_plain_sum_whatever_the_cuts)
{
    for (const auto which : backends) {
        for (const bool complex_samples : {false, true}) {
            for (const std::size_t channels : {1, 2, 5, 12}) {
                channelizer_params p;
                p.inputs = 2;
                p.channels = channels;
                p.complex_samples = complex_samples;
                p.taps = 3;
                p.window = "hamming";
                p.block_spectra = 4;
                p.conjugate = {0, 1};
                for (std::size_t n = 0; n < 2 * channels; n++) {
                    p.corrections.push_back(
                        std::polar(1.0f + 0.1f * n, 0.7f * static_cast<float>(n)));
                }
                const auto h = prototype(p.points(), p.taps, p.window);
                const std::size_t parts = complex_samples ? 2 : 1;
                const std::size_t rows = 11, stride = rows * p.points();
                const auto in = random_components(component::f32, 2 * stride * parts);
                const auto stream = reinterpret_cast<const float*>(in.data());
                const auto tested = make_channelizer(which, p);
                std::size_t row = 0, s = 0;
                double worst = 0;
                for (const std::size_t call : {1, 0, 1, 4, 1, 1, 3}) {
                    std::vector<std::complex<float>> out(channels * 2 * 4);
                    const auto n = tested->process(stream + row * p.points() * parts,
                                                   stride,
                                                   call * p.points(),
                                                   out.data(),
                                                   nullptr);
                    row += call;
                    BOOST_TEST(s + n == (row < 3 ? 0 : row - 2));
                    for (std::size_t at = 0; at < channels * 2 * n; at++) {
                        const std::size_t t = at % n, i = at / n % 2, k = at / n / 2;
                        const auto x = expected_spectrum(
                            p, h, stream + i * stride * parts, i == 1, s + t, k);
                        const auto error = complexd(out[(k * 2 + i) * 4 + t]) -
                                           x * complexd(p.corrections[i * channels + k]);
                        worst = std::max(worst, std::abs(error));
                    }
                    s += n;
                }
                BOOST_TEST(worst < 5e-6);
            }
        }
    }
}

// Windows are filtered together, as many as a call has: whichever they are, the bits are the
// same, so that dumps do not depend on the size of blocks.
BOOST_AUTO_TEST_CASE(cuts_change_no_bit_on_the_cpu)
{
    for (const auto in : {component::i8, component::i16, component::f32}) {
        for (const bool complex_samples : {false, true}) {
            for (const unsigned taps : {1, 2, 4, 5, 16}) {
                channelizer_params p;
                p.channels = 37;
                p.in = in;
                p.complex_samples = complex_samples;
                p.taps = taps;
                p.window = taps > 1 ? "hann" : "rectangular";
                p.block_spectra = 64;
                p.conjugate = {1};
                const std::size_t sample =
                    component_bytes(in) * (complex_samples ? 2 : 1);
                const std::size_t row = p.points() * sample;
                const auto stream =
                    random_components(in, 64 * p.points() * (complex_samples ? 2 : 1));
                const auto whole = make_channelizer(backend::cpu, p);
                const auto expected = run(*whole, p, stream, 0, 64 * p.points());
                const auto cut = make_channelizer(backend::cpu, p);
                std::size_t from = 0, s = 0, different = 0;
                while (from < 64) {
                    const std::size_t rows = std::min(1 + random_below(19), 64 - from);
                    std::vector<std::complex<float>> out(p.channels * 64);
                    const std::size_t n = cut->process(
                        &stream[from * row], 0, rows * p.points(), out.data(), nullptr);
                    for (std::size_t k = 0; k < p.channels; k++) {
                        different += std::memcmp(&out[k * 64],
                                                 &expected[k * 64 + s],
                                                 n * sizeof(out[0])) != 0;
                    }
                    from += rows;
                    s += n;
                }
                BOOST_TEST(s == 65 - taps);
                BOOST_TEST(different == 0u);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(white_noise_keeps_its_power)
{
    for (const auto which : backends) {
        for (const bool complex_samples : {false, true}) {
            channelizer_params p;
            p.channels = 96;
            p.complex_samples = complex_samples;
            p.in = component::i16;
            p.taps = 4;
            p.window = "hann";
            p.block_spectra = 400;
            const std::size_t samples = 400 * p.points();
            const std::size_t values = samples * (complex_samples ? 2 : 1);
            const auto in = random_components(p.in, values);
            double power = 0, sum = 0;
            for (std::size_t n = 0; n < values; n++) {
                power +=
                    std::pow(component_at(in, p.in, n), 2) / static_cast<double>(samples);
            }
            const auto out = run(*make_channelizer(which, p), p, in, samples, samples);
            for (const auto& x : out) {
                sum += std::norm(complexd(x)) / (397 * 96.0);
            }
            // 38 000 spectral samples: 0.5 % rms, 0.8 % with overlapping windows.
            BOOST_TEST(std::abs(sum / power - 1) < 0.04);
        }
    }
}

BOOST_AUTO_TEST_CASE(stepped_tone_follows_the_prototype)
{
    channelizer_params p;
    p.channels = 16;
    p.taps = 8;
    p.window = "hann";
    p.block_spectra = 8;
    const auto h = prototype(16, 8, "hann");
    const auto tested = make_channelizer(backend::cpu, p);
    const double peak = response(h, 16, 0) / 4;
    for (double f = -7.9; f < 7.9; f += 0.37) {
        std::vector<std::complex<float>> in(8 * 16), out(16 * 8);
        for (std::size_t n = 0; n < in.size(); n++) {
            in[n] = std::complex<float>(turn(f * static_cast<double>(n) / 16));
        }
        tested->reset();
        BOOST_TEST(tested->process(in.data(), 128, 128, out.data(), nullptr) == 1);
        for (std::size_t k = 0; k < 16; k++) {
            const double right = response(h, 16, f - (static_cast<double>(k) - 8)) / 4;
            const auto got = static_cast<double>(std::abs(out[k * 8]));
            BOOST_TEST(std::abs(got - right) < 1e-6 * peak);
        }
    }
}

BOOST_AUTO_TEST_CASE(requantizer_rounds_to_even_and_clips_symmetrically)
{
    for (const auto which : backends) {
        channelizer_params p;
        p.channels = 1; // one channel, one tap: the samples themselves
        p.block_spectra = 8;
        p.requantize_bits = 4;
        const auto tested = make_channelizer(which, p);
        const std::vector<std::complex<float>> in{{0.5f, 1.5f},
                                                  {2.5f, -0.5f},
                                                  {-1.5f, -2.5f},
                                                  {7.49f, 7.5f},
                                                  {-7.5f, -8.0f},
                                                  {1e30f, -1e30f},
                                                  {6.5f, -6.5f},
                                                  {0.49f, -0.51f}};
        const std::vector<int> right{
            0, 2, 2, 0, -2, -2, 7, 7, -7, -7, 7, -7, 6, -6, 0, -1};
        std::vector<std::int8_t> out(16);
        std::uint64_t saturated = 3;
        BOOST_TEST(tested->process(in.data(), 8, 8, out.data(), &saturated) == 8);
        BOOST_TEST(std::vector<int>(out.begin(), out.end()) == right,
                   boost::test_tools::per_element());
        BOOST_TEST(saturated == 3 + 5);
        p.gains = {2.0f};
        BOOST_TEST(make_channelizer(which, p)->process(
                       in.data(), 8, 1, out.data(), &saturated) == 1);
        BOOST_TEST((out[0] == 1 && out[1] == 3));
        for (const std::vector<float>& wrong : {std::vector<float>{0.0f}, {1.0f, 1.0f}}) {
            p.gains = wrong;
            BOOST_CHECK_THROW(make_channelizer(which, p), std::invalid_argument);
        }
    }
}

BOOST_AUTO_TEST_CASE(blocks_of_every_layout_have_a_size)
{
    channelizer_params p;
    p.inputs = 2;
    p.channels = 9;
    p.block_spectra = 3;
    BOOST_TEST(spectrum_stride(p) == 8u);
    BOOST_TEST(block_bytes(p) == 2u * 9 * 3 * 8);
    p.layout = spectra_layout::time_major;
    BOOST_TEST(spectrum_stride(p) == 24u * 8);
    BOOST_TEST(block_bytes(p) == 2u * 24 * 3 * 8);
    p.requantize_bits = 4;
    BOOST_TEST(block_bytes(p) == 2u * 24 * 3 * 2);
    p.layout = spectra_layout::time_major_items;
    p.channels = 16;
    BOOST_TEST(block_bytes(p) == 2u * 16 * 3 * 2);
    p.complex_samples = false;
    BOOST_CHECK_THROW(make_channelizer(backend::cpu, p), std::invalid_argument);
    p.channels = 9;
    p.layout = spectra_layout::tensor_tiles;
    BOOST_TEST(block_bytes(p) == 9u * 2 * 1024 + 1024);
}

BOOST_AUTO_TEST_CASE(spectra_as_transforms_make_them_are_for_the_cpu_only)
{
    channelizer_params p;
    p.channels = 8;
    p.layout = spectra_layout::time_major;
    BOOST_CHECK_NO_THROW(make_channelizer(backend::cpu, p));
    for (const auto which : {backend::generic, backend::cuda}) {
        BOOST_CHECK_EXCEPTION(make_channelizer(which, p),
                              std::invalid_argument,
                              [](const std::invalid_argument& e) {
                                  return std::string(e.what()) ==
                                         "channelizer: the layout time_major is for the "
                                         "backend cpu only";
                              });
    }
}

// On processors without vectors of sixteen floats, too, where channelizers use FFTW.
BOOST_AUTO_TEST_CASE(wide_transforms_are_those_of_fftw_in_double_precision)
{
    for (const std::size_t points : {256, 512, 1024, 2048, 4096}) {
        const wide_transform transform(points);
        const real_bins of_real(points);
        aligned_vector<std::complex<float>> x(points), mixed(points), out(points + 1);
        const auto drawn = random_components(component::f32, 2 * points);
        std::memcpy(static_cast<void*>(x.data()), drawn.data(), drawn.size());
        const auto apart = reinterpret_cast<float*>(mixed.data());
        aligned_vector<complexd> exact(points), exact_real(2 * points);
        for (std::size_t n = 0; n < points; n++) {
            apart[n / 16 * 32 + n % 16] = x[n].real();
            apart[n / 16 * 32 + 16 + n % 16] = x[n].imag();
            exact[n] = x[n];
            exact_real[2 * n] = x[n].real();
            exact_real[2 * n + 1] = x[n].imag();
        }
        transform_f64(points).run(exact.data());
        transform_f64(2 * points).run(exact_real.data());
        const auto worst = [&](const aligned_vector<complexd>& right, std::size_t bins) {
            double error = 0;
            for (std::size_t k = 0; k < bins; k++) {
                error = std::max(error, std::abs(complexd(out[k]) - right[k]));
            }
            return error / std::sqrt(2.0 * static_cast<double>(points)); // of the rms
        };
        transform.run(reinterpret_cast<const float*>(x.data()), false, out.data());
        BOOST_TEST(worst(exact, points) <= 3e-6);
        const auto interleaved = out;
        transform.run(apart, true, out.data());
        BOOST_TEST((out == interleaved));
        of_real.make(out.data());
        BOOST_TEST(worst(exact_real, points + 1) <= 3e-6);
    }
    BOOST_CHECK_THROW(wide_transform(128), std::invalid_argument);
    BOOST_CHECK_THROW(wide_transform(768), std::invalid_argument);
    BOOST_CHECK_THROW(wide_transform(8192), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(wrong_parameters_are_refused)
{
    const auto refuses = [](void (*spoil)(channelizer_params&)) {
        for (const auto which : backends) {
            channelizer_params p;
            p.inputs = 2;
            p.channels = 8;
            spoil(p);
            BOOST_CHECK_THROW(make_channelizer(which, p), std::invalid_argument);
        }
    };
    refuses([](channelizer_params& p) { p.inputs = 0; });
    refuses([](channelizer_params& p) { p.channels = 0; });
    refuses([](channelizer_params& p) { p.channels = std::size_t(1) << 40; });
    refuses([](channelizer_params& p) { p.taps = 0; });
    refuses([](channelizer_params& p) { p.taps = 33; });
    refuses([](channelizer_params& p) { p.window = "boxcar"; });
    refuses([](channelizer_params& p) { p.block_spectra = 0; });
    refuses([](channelizer_params& p) { p.requantize_bits = 5; });
    refuses([](channelizer_params& p) { p.conjugate.resize(3); });
    refuses([](channelizer_params& p) { p.corrections.resize(8); });
    refuses([](channelizer_params& p) { p.corrections.resize(16, NAN); });
    refuses([](channelizer_params& p) { p.gains = {1}; });
    refuses([](channelizer_params& p) { p.gains = {1, -1}; });
    refuses([](channelizer_params& p) {
        p.channels = 2;
        p.window = "hann"; // zero at both of its two samples
    });
    channelizer_params p;
    p.inputs = 2;
    p.channels = 8;
    std::vector<float> in(64), out(64);
    for (const auto which : backends) {
        const auto c = make_channelizer(which, p);
        const auto call = [&](std::size_t stride, std::size_t samples) {
            c->process(in.data(), stride, samples, out.data(), nullptr);
        };
        BOOST_CHECK_THROW(call(16, 12), std::invalid_argument);
        BOOST_CHECK_THROW(call(16, 16), std::invalid_argument);
        BOOST_CHECK_THROW(call(7, 8), std::invalid_argument);
    }
}
