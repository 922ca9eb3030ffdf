/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Names, formats, the X-engine and the integrator against plain sums written out here.
#include "kernel_cases.h"
#include "kernels/integrator/integrator.h"
#include "kernels/unpack/decoders.h"
#include "kernels/unpack/packed_bits.h"
#include "kernels/unpack/stream_major_bits.h"
#include "kernels/xengine/xengine.h"
#include <cmath>

using namespace gr::fringe::kernels;
using namespace kernel_cases;

namespace {

const backend backends[] = {backend::generic, backend::cpu};

template <class Out>
std::vector<Out> unpacked(const encoding& e, const void* raw, std::size_t samples)
{
    const auto c = std::is_same_v<Out, level_byte> ? component::level
                   : sizeof(Out) == 1              ? component::i8
                   : sizeof(Out) == 2              ? component::i16
                                                   : component::f32;
    const std::size_t row = 0;
    std::vector<Out> out(samples * (e.is_complex ? 2 : 1));
    e.unpack[static_cast<std::size_t>(backend::cpu)][static_cast<std::size_t>(c)](
        static_cast<const std::uint8_t*>(raw), 1, samples, &row, out.data(), samples);
    return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(names_of_components)
{
    BOOST_TEST((component_from_name("i8") == component::i8));
    BOOST_TEST((component_from_name("i16") == component::i16));
    BOOST_TEST((component_from_name("f32") == component::f32));
    BOOST_TEST((component_from_name("level") == component::level));
    BOOST_CHECK_THROW(component_from_name("i4"), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(every_word_of_the_packed_formats)
{
    const auto complement = [](int value, int bits) {
        return value < (1 << (bits - 1)) ? value : value - (1 << bits);
    };
    std::vector<std::uint16_t> words(65536);
    std::vector<std::uint8_t> octets(256);
    for (std::size_t n = 0; n < words.size(); n++) {
        words[n] = static_cast<std::uint16_t>(n);
        octets[n % 256] = static_cast<std::uint8_t>(n);
    }
    const auto u8 =
        unpacked<std::int8_t>(interleaved_encoding<decoders::u8>(), octets.data(), 256);
    const auto u16 = unpacked<std::int16_t>(
        interleaved_encoding<decoders::u16>(), words.data(), 65536);
    const auto mwa16 = unpacked<std::int8_t>(
        interleaved_encoding<decoders::mwa16>(), words.data(), 65536);
    const auto mwa8 =
        unpacked<float>(interleaved_encoding<decoders::mwa8>(), octets.data(), 256);
    const auto one_bit =
        unpacked<std::int8_t>(stream_major_bits(), octets.data(), 256 * 8);
    bool good = true;
    for (int n = 0; n < 65536; n++) {
        good = good && u16[n] == n - 32768 && mwa16[2 * n] == complement(n % 32, 5) &&
               mwa16[2 * n + 1] == complement(n / 32 % 32, 5);
    }
    for (int n = 0; n < 256; n++) {
        good = good && u8[n] == n - 128 &&
               mwa8[2 * n] == static_cast<float>(complement(n % 16, 4)) + 0.5f &&
               mwa8[2 * n + 1] == static_cast<float>(complement(n / 16, 4)) + 0.5f;
        for (int bit = 0; bit < 8; bit++) {
            good = good && one_bit[8 * n + bit] == (n & (128 >> bit) ? 1 : -1);
        }
    }
    BOOST_TEST(good);
    BOOST_TEST(stream_major_bits().bytes(24, 16) == 48);
    BOOST_TEST(interleaved_encoding<decoders::mwa16>().bytes(3, 5) == 30);
    BOOST_TEST(interleaved_encoding<decoders::cf32>().bits == 64);
}

// Codes 0 ... 3 of two bits, by the definitions of VDIF and of Mark 5B; all are the same floats
// whether a byte stands for them or not.
BOOST_AUTO_TEST_CASE(levels_of_two_bits)
{
    const std::uint8_t codes = 0xe4; // 0 in the lowest bits
    const struct {
        encoding format;
        std::vector<int> numbers;
    } cases[] = {{packed_bits(2, false), {-2, -1, 1, 2}},
                 {packed_bits(2, true), {-2, -1, 1, 2}},
                 {sign_magnitude_bits(), {-2, 1, -1, 2}}};
    const float values[] = {-3.3359f, -1, 0, 1, 3.3359f};
    for (const auto& c : cases) {
        const std::size_t samples = c.format.is_complex ? 2 : 4;
        const auto levels = unpacked<level_byte>(c.format, &codes, samples);
        const auto floats = unpacked<float>(c.format, &codes, samples);
        BOOST_REQUIRE(levels.size() == 4);
        for (std::size_t n = 0; n < 4; n++) {
            BOOST_TEST(levels[n].number == c.numbers[n]);
            BOOST_TEST(static_cast<float>(levels[n]) == values[c.numbers[n] + 2]);
            BOOST_TEST(floats[n] == values[c.numbers[n] + 2]);
        }
    }
    BOOST_TEST(static_cast<float>(level_byte{0}) == 0.0f);
}

BOOST_AUTO_TEST_CASE(xengine_int8_is_exact)
{
    const std::size_t inputs = 5, channels = 3, block = 37;
    for (const auto which : backends) {
        const auto x = make_xengine(which, {inputs, channels, block, component::i8});
        const auto in = random_components(component::i8, channels * inputs * block * 2);
        x->accumulate(in.data(), 2, 30);
        x->accumulate(in.data(), 0, 37);
        std::vector<std::int32_t> out(2 * channels * baselines(inputs));
        x->read(0, channels, out.data());
        bool good = true;
        std::size_t at = 0;
        for (std::size_t c = 0; c < channels; c++) {
            for (std::size_t i = 0; i < inputs; i++) {
                for (std::size_t j = i; j < inputs; j++) {
                    std::int64_t re = 0, im = 0;
                    for (std::size_t t = 0; t < block; t++) {
                        const int times = t >= 2 && t < 32 ? 2 : 1;
                        const auto value = [&](std::size_t input, int part) {
                            return static_cast<int>(component_at(
                                in,
                                component::i8,
                                2 * ((c * inputs + input) * block + t) + part));
                        };
                        re += times *
                              (value(i, 0) * value(j, 0) + value(i, 1) * value(j, 1));
                        im += times *
                              (value(i, 1) * value(j, 0) - value(i, 0) * value(j, 1));
                    }
                    BOOST_TEST(baseline_index(i, j, inputs) ==
                               at / 2 % baselines(inputs));
                    good = good && out[at] == re && out[at + 1] == im;
                    at += 2;
                }
            }
        }
        BOOST_TEST(good);
    }
}

BOOST_AUTO_TEST_CASE(xengine_int8_holds_the_largest_sums)
{
    // All parts -128 over as many spectra as int32 can take; one more is refused.
    const std::size_t inputs = 14, block = 4369, calls = 15;
    static_assert(block * calls == xengine::max_exact_spectra, "fills the limit");
    const std::vector<std::int8_t> in(inputs * block * 2, -128);
    for (const auto which : backends) {
        const auto x = make_xengine(which, {inputs, 1, block, component::i8});
        for (std::size_t call = 0; call < calls; call++) {
            x->accumulate(in.data(), 0, block);
        }
        std::vector<std::int32_t> out(2 * baselines(inputs));
        x->read(0, 1, out.data());
        for (std::size_t b = 0; b < baselines(inputs); b++) {
            BOOST_TEST(out[2 * b] == 65535 * 32768LL);
            BOOST_TEST(out[2 * b + 1] == 0);
        }
        BOOST_CHECK_THROW(x->accumulate(in.data(), 0, 1), std::overflow_error);
        x->clear();
        x->accumulate(in.data(), 0, 1);
        x->read(0, 1, out.data());
        BOOST_TEST(out[0] == 32768);
    }
}

BOOST_AUTO_TEST_CASE(xengine_sign_of_the_phase)
{
    // x_0 = i, x_1 = 1: x_0 conj(x_1) = i.
    const std::vector<std::complex<float>> in{{0, 1}, {1, 0}};
    for (const auto which : backends) {
        const auto x = make_xengine(which, {2, 1, 1, component::f32});
        x->accumulate(in.data(), 0, 1);
        std::vector<std::complex<float>> out(3);
        x->read(0, 1, out.data());
        BOOST_TEST((out[0] == 1.0f && out[2] == 1.0f));
        BOOST_TEST((out[1] == std::complex<float>(0, 1)));
    }
}

BOOST_AUTO_TEST_CASE(xengine_takes_1024_inputs)
{
    for (const auto c : {component::f32, component::i8}) {
        const xengine_params p{1024, 1, 5, c};
        const auto in = random_components(c, 1024 * 5 * 2);
        const std::size_t products = baselines(1024);
        std::vector<std::int32_t> out[2];
        for (const auto which : backends) {
            const auto x = make_xengine(which, p);
            x->accumulate(in.data(), 0, 5);
            auto& to = out[which == backend::cpu];
            to.resize(2 * products);
            x->read(0, 1, to.data());
        }
        double worst = 0;
        for (std::size_t n = 0; n < 2 * products; n++) {
            float v[2];
            std::memcpy(&v[0], &out[0][n], 4);
            std::memcpy(&v[1], &out[1][n], 4);
            const double error = c == component::i8
                                     ? std::abs(out[0][n] - out[1][n])
                                     : static_cast<double>(std::abs(v[0] - v[1]));
            worst = error <= worst ? worst : error;
        }
        BOOST_TEST(worst <= (c == component::i8 ? 0 : 1e-5));
    }
}

BOOST_AUTO_TEST_CASE(xengine_takes_the_layout_that_it_likes)
{
    for (const auto in : {component::f32, component::i8}) {
        for (const std::size_t inputs : {1, 96, 97}) {
            for (const std::size_t block_spectra : {16, 256}) {
                xengine_params p{inputs, 8, block_spectra, in};
                p.layout = cpu_layout(p);
                BOOST_CHECK_NO_THROW(make_xengine(backend::cpu, p));
                for (const auto layout :
                     {spectra_layout::time_major, spectra_layout::time_major_items}) {
                    p.layout = layout;
                    BOOST_CHECK_THROW(make_xengine(backend::generic, p),
                                      std::invalid_argument);
                    BOOST_CHECK_NO_THROW(make_xengine(backend::cpu, p));
                }
                p.channels = 12; // there would be no room for them in an item
                BOOST_CHECK_THROW(make_xengine(backend::cpu, p), std::invalid_argument);
                BOOST_TEST(
                    (layout_of_items(backend::cpu, p) == spectra_layout::channel_major));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(xengine_refuses_wrong_parameters)
{
    const xengine_params wrong[] = {{0, 1, 1, component::f32},
                                    {8193, 1, 1, component::f32},
                                    {1, 0, 1, component::f32},
                                    {1, 1, 0, component::f32},
                                    {1, 1, 1, component::i16}};
    for (const auto which : backends) {
        for (const auto& p : wrong) {
            BOOST_CHECK_THROW(make_xengine(which, p), std::invalid_argument);
        }
        for (const auto c : {component::f32, component::i8}) {
            const auto x = make_xengine(which, {1, 2, 4, c});
            std::vector<float> buffer(64);
            BOOST_CHECK_THROW(x->accumulate(buffer.data(), 3, 2), std::invalid_argument);
            BOOST_CHECK_THROW(x->read(1, 2, buffer.data()), std::invalid_argument);
        }
    }
}

BOOST_AUTO_TEST_CASE(integrator_means)
{
    for (const auto which : backends) {
        const auto sum = make_integrator(which, {2, 2, true});
        // Beyond int32 after two additions.
        const std::int32_t big = 2147450880;
        const std::vector<std::int32_t> in{big, 0, 30, -60, 7, 7};
        sum->add(1, 1, in.data());
        sum->add(1, 1, in.data());
        const std::vector<std::uint64_t> valid{131070, 10, 0};
        const std::vector<float> gains{2.0f, 3.0f};
        std::vector<std::complex<float>> v(6);
        std::vector<float> w(6);
        sum->mean(0, 2, valid.data(), 131070, gains.data(), v.data(), w.data());
        BOOST_TEST((v[0] == 0.0f && v[1] == 0.0f && v[2] == 0.0f));
        BOOST_TEST((v[3] == 8192.0f && v[5] == 0.0f));
        BOOST_TEST(std::abs(v[4] - std::complex<float>(1, -2)) < 1e-6f);
        BOOST_TEST((w[0] == 1.0f && w[3] == 1.0f && w[2] == 0.0f && w[5] == 0.0f));
        BOOST_TEST(w[4] == static_cast<float>(10 / 131070.0));
        sum->clear();
        sum->mean(1, 1, valid.data(), 131070, nullptr, v.data(), nullptr);
        BOOST_TEST((v[0] == 0.0f && v[1] == 0.0f));
        BOOST_CHECK_THROW(sum->add(2, 1, in.data()), std::invalid_argument);
        const std::vector<flagged_spectra> wrong{{{{0, 1}}, 1, {1, 2}}};
        BOOST_CHECK_THROW(sum->leave_out(wrong), std::invalid_argument);
        BOOST_CHECK_THROW(make_integrator(which, {0, 1, false}), std::invalid_argument);
        BOOST_CHECK_THROW(make_integrator(which, {1, 0, false}), std::invalid_argument);
    }
}

BOOST_AUTO_TEST_CASE(integrator_leaves_flagged_cells_out)
{
    for (const auto which : backends) {
        const auto sum = make_integrator(which, {2, 3, true});
        const std::vector<std::int32_t> in{100, 0, 30, -60, 50, 0};
        for (const std::size_t c : {0, 1, 2}) {
            sum->add(c, 1, in.data());
        }
        // Products 00, 01, 11 of 10 spectra, input 1 lost in 2 of them.
        const std::vector<std::uint64_t> valid{10, 8, 8};
        sum->leave_out({{{{1, 2}}, 3, {}},        // channel 0 input 1, channel 1 input 0
                        {{{2, 2}}, 5, {5, 4, 4}}, // channel 1, one spectrum lost
                        {{{5, 1}, {99, 7}}, 8, {}}}); // channel 2 input 1, and no cells
        std::vector<std::complex<float>> v(9);
        std::vector<float> w(9);
        sum->mean(0, 3, valid.data(), 10, nullptr, v.data(), w.data());
        const std::vector<float> left{10, 5, 5, 2, 1, 4, 10, 0, 0};
        for (std::size_t n = 0; n < 9; n++) {
            BOOST_TEST(w[n] == left[n] / 10);
            const std::complex<float> x(static_cast<float>(in[2 * (n % 3)]),
                                        static_cast<float>(in[2 * (n % 3) + 1]));
            BOOST_TEST(std::abs(v[n] - (left[n] > 0 ? x / left[n] : 0)) < 1e-5f);
        }
        sum->clear();
        sum->mean(0, 3, valid.data(), 10, nullptr, v.data(), w.data());
        BOOST_TEST((w[1] == 0.8f && w[7] == 0.8f));
    }
}
