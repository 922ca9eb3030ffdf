/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_FAST_KERNELS_H
#define INCLUDED_FRINGE_TESTS_FAST_KERNELS_H

#include "as_transformed.h"
#include "channelizer_elsewhere.h"
#include "kernel_cases.h"
#include "kernels/beamformer/beamformer.h"
#include "kernels/device/devices.h"
#include "kernels/integrator/integrator.h"
#include "kernels/kurtosis/kurtosis.h"
#include "kernels/unpack/unpacker.h"
#include "kernels/xengine/tiles.h"
#include <algorithm>

// The kernels under test, whatever they run on: those of a device are given the host's
// blocks by copying them there and back, and spectra in tiles are laid out here.
namespace kernel_cases {

using namespace gr::fringe::kernels;

//! What is compared with generic now.
struct fast_kernels {
    const char* name;
    compute_target which;
    spectra_layout layout; //!< on a device of int8 spectra only
};

inline fast_kernels& tested()
{
    static fast_kernels now{"cpu", backend::cpu, spectra_layout::channel_major};
    return now;
}

//! Whether the GPU with a number is there and works.
inline bool has_device(std::size_t index)
{
    std::string why;
    const auto found = find_devices(why);
    return index < found.size() && found[index].refused.empty();
}

//! A block of the host's memory, in the device's while this lives.
class on_device
{
public:
    //! Brings `bytes` there, `offset` behind the start of some memory; null stays null.
    on_device(const void* host, std::size_t bytes, std::size_t offset = 0)
        : d_bytes(bytes),
          d_offset(offset),
          d_memory(host ? d_on->allocate(bytes + offset + 1) : nullptr)
    {
        if (host) {
            d_on->synchronize();
            d_on->upload(get(), host, bytes);
            d_on->synchronize();
        }
    }
    ~on_device() { d_on->release(d_memory); }
    on_device(const on_device&) = delete;
    on_device& operator=(const on_device&) = delete;

    template <class T = void>
    T* get() const
    {
        return d_memory ? static_cast<T*>(
                              static_cast<void*>(static_cast<char*>(d_memory) + d_offset))
                        : nullptr;
    }
    void back(void* host) const
    {
        if (host) {
            d_on->synchronize();
            d_on->download(host, get(), d_bytes);
            d_on->synchronize();
        }
    }

private:
    const std::shared_ptr<device> d_on = open_device(tested().which.index);
    const std::size_t d_bytes, d_offset;
    void* d_memory;
};

//! int8 spectra [channel][input][time] in tiles, as a channelizer writes them.
inline bytes in_tiles(const void* rows, const tile_layout& t)
{
    bytes out(t.bytes(), 0);
    const auto* in = static_cast<const std::int8_t*>(rows);
    for (std::size_t c = 0; c < t.channels; c++) {
        for (std::size_t i = 0; i < t.inputs; i++) {
            for (std::size_t s = 0; s < t.block_spectra; s++, in += 2) {
                const int sum = in[0] + in[1];
                out[t.at(c, 0, i, s)] = static_cast<std::uint8_t>(in[0]);
                out[t.at(c, 1, i, s)] = static_cast<std::uint8_t>(in[1]);
                if (t.planes() > 2) {
                    out[t.at(c, 2, i, s)] = static_cast<std::uint8_t>(sum);
                    out[t.flag_at(c, i, s)] |= sum > 127 || sum < -128;
                }
            }
        }
    }
    return out;
}

//! The first `count` spectra of tiles as rows; what lies beyond is left as it is. Checks
//! what tiles promise beside that.
inline void
from_tiles(const bytes& tiles, const tile_layout& t, std::size_t count, void* rows)
{
    const auto value = [&](std::size_t c, std::size_t p, std::size_t i, std::size_t s) {
        return static_cast<std::int8_t>(tiles[t.at(c, p, i, s)]);
    };
    const std::size_t end = (count + t.width - 1) / t.width * t.width;
    const std::size_t padded = t.input_groups() * t.rows;
    bool sums = true, zeros = true;
    for (std::size_t c = 0; c < t.channels; c++) {
        for (std::size_t i = 0; i < padded; i++) {
            for (std::size_t s = 0; s < end; s++) {
                const int re = value(c, 0, i, s), im = value(c, 1, i, s);
                if (i >= t.inputs || s >= count) {
                    zeros = zeros && re == 0 && im == 0 &&
                            (t.planes() < 3 || value(c, 2, i, s) == 0);
                    continue;
                }
                auto* out = static_cast<std::int8_t*>(rows) +
                            2 * ((c * t.inputs + i) * t.block_spectra + s);
                out[0] = static_cast<std::int8_t>(re);
                out[1] = static_cast<std::int8_t>(im);
                const bool exact = re + im <= 127 && re + im >= -128;
                if (t.planes() > 2) {
                    sums = sums && (exact ? value(c, 2, i, s) == re + im
                                          : tiles[t.flag_at(c, i, s)] != 0);
                }
            }
        }
    }
    BOOST_TEST(sums);
    BOOST_TEST(zeros);
}

class channelizer_on_device : public channelizer_elsewhere
{
public:
    explicit channelizer_on_device(const channelizer_params& p)
        : channelizer_elsewhere(make_channelizer(tested().which, p)), d_p(p)
    {
    }
    std::size_t process(const void* in,
                        std::size_t in_stride,
                        std::size_t samples,
                        void* out,
                        std::uint64_t* saturated) override
    {
        const std::size_t sample =
            component_bytes(d_p.in) * (d_p.complex_samples ? 2 : 1);
        const on_device from(in, ((d_p.inputs - 1) * in_stride + samples) * sample);
        const std::vector<std::uint64_t> none(d_p.inputs);
        const on_device counts(saturated ? saturated : none.data(), d_p.inputs * 8);
        std::size_t n = 0;
        if (d_p.layout == spectra_layout::tensor_tiles) {
            bytes tiles(layout().bytes(), poison);
            const on_device to(tiles.data(), tiles.size());
            n = d_kernel->process(
                from.get(), in_stride, samples, to.get(), counts.get<std::uint64_t>());
            to.back(tiles.data());
            from_tiles(tiles, layout(), n, out);
        } else {
            const on_device to(out, block_bytes());
            n = d_kernel->process(
                from.get(), in_stride, samples, to.get(), counts.get<std::uint64_t>());
            to.back(out);
        }
        counts.back(saturated);
        return n;
    }
    void blank(void* out,
               std::size_t input,
               std::size_t first,
               std::size_t count) const override
    {
        if (d_p.layout == spectra_layout::tensor_tiles) {
            auto tiles = in_tiles(out, layout());
            const on_device block(tiles.data(), tiles.size());
            d_kernel->blank(block.get(), input, first, count);
            block.back(tiles.data());
            from_tiles(tiles, layout(), d_p.block_spectra, out);
        } else {
            const on_device block(out, block_bytes());
            d_kernel->blank(block.get(), input, first, count);
            block.back(out);
        }
    }

private:
    tile_layout layout() const { return {d_p.inputs, d_p.channels, d_p.block_spectra}; }
    std::size_t block_bytes() const
    {
        return d_p.inputs * d_p.channels * d_p.block_spectra *
               (d_p.requantize_bits ? 2 : 8);
    }
    const channelizer_params d_p;
};

class kurtosis_on_device : public kurtosis
{
public:
    explicit kurtosis_on_device(const kurtosis_params& p)
        : d_p(p), d_kernel(make_kurtosis(tested().which, p))
    {
    }
    void add(const void* spectra, std::size_t count, void* copy) override
    {
        if (d_p.layout == spectra_layout::tensor_tiles) {
            const auto tiles = in_tiles(spectra, layout());
            bytes copied(tiles.size(), poison);
            const on_device in(tiles.data(), tiles.size());
            const on_device out(copy ? copied.data() : nullptr, copied.size());
            d_kernel->add(in.get(), count, out.get());
            if (copy) {
                out.back(copied.data());
                BOOST_TEST(std::memcmp(copied.data(),
                                       tiles.data(),
                                       layout().flags_offset()) == 0);
                from_tiles(copied, layout(), d_p.block_spectra, copy);
            }
            return;
        }
        const on_device in(spectra, block_bytes(), random_offset());
        const on_device out(copy, block_bytes(), random_offset());
        d_kernel->add(in.get(), count, out.get());
        out.back(copy);
    }
    void read(float* s1, float* s2) const override
    {
        const std::size_t size = d_p.channels * d_p.inputs * sizeof(float);
        const on_device first(s1, size), second(s2, size);
        d_kernel->read(first.get<float>(), second.get<float>());
        first.back(s1);
        second.back(s2);
    }
    void clear() override { d_kernel->clear(); }
    void zero(const std::vector<void*>& blocks,
              const std::vector<cell_run>& cells) override
    {
        const bool tiled = d_p.layout == spectra_layout::tensor_tiles;
        std::vector<std::unique_ptr<on_device>> there;
        std::vector<void*> places;
        for (void* const block : blocks) {
            if (tiled) {
                const auto tiles = in_tiles(block, layout());
                there.push_back(std::make_unique<on_device>(tiles.data(), tiles.size()));
            } else {
                there.push_back(
                    std::make_unique<on_device>(block, block_bytes(), random_offset()));
            }
            places.push_back(there.back()->get());
        }
        d_kernel->zero(places, cells);
        for (std::size_t n = 0; n < blocks.size(); n++) {
            if (tiled) {
                bytes tiles(layout().bytes());
                there[n]->back(tiles.data());
                from_tiles(tiles, layout(), d_p.block_spectra, blocks[n]);
                check_flags(tiles);
            } else {
                there[n]->back(blocks[n]);
            }
        }
    }

private:
    tile_layout layout() const { return {d_p.inputs, d_p.channels, d_p.block_spectra}; }
    std::size_t sample_bytes() const { return 2 * component_bytes(d_p.in); }
    std::size_t block_bytes() const
    {
        return d_p.inputs * d_p.channels * d_p.block_spectra * sample_bytes();
    }
    //! Items of a ring need not be aligned to more than a sample.
    std::size_t random_offset() const { return random_below(9) * sample_bytes(); }
    //! Groups of inputs that are all zero have no sum that wraps.
    void check_flags(const bytes& tiles) const
    {
        const tile_layout t = layout();
        bool right = true;
        for (std::size_t c = 0; t.planes() > 2 && c < t.channels; c++) {
            for (std::size_t i = 0; i < t.inputs; i += t.rows) {
                for (std::size_t s = 0; s < t.block_spectra; s += t.width) {
                    bool zeros = true;
                    for (std::size_t p = 0; p < 3; p++) { // a group is one piece
                        const auto* at = &tiles[t.at(c, p, i, s)];
                        zeros = zeros && std::all_of(at, at + t.group, [](auto byte) {
                                    return byte == 0;
                                });
                    }
                    right = right && !(zeros && tiles[t.flag_at(c, i, s)]);
                }
            }
        }
        BOOST_TEST(right);
    }
    const kurtosis_params d_p;
    const std::unique_ptr<kurtosis> d_kernel;
};

class xengine_on_device : public xengine
{
public:
    explicit xengine_on_device(const xengine_params& p)
        : d_p(p), d_kernel(make_xengine(tested().which, p))
    {
    }
    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        if (d_p.layout == spectra_layout::tensor_tiles) {
            const auto tiles =
                in_tiles(spectra, {d_p.inputs, d_p.channels, d_p.block_spectra});
            const on_device in(tiles.data(), tiles.size());
            d_kernel->accumulate(in.get(), first, count);
            return;
        }
        const on_device in(spectra,
                           d_p.inputs * d_p.channels * d_p.block_spectra * 2 *
                               component_bytes(d_p.in));
        d_kernel->accumulate(in.get(), first, count);
    }
    void accumulate_blocks(const std::vector<const void*>& blocks,
                           std::size_t spectra) override
    {
        const std::size_t bytes =
            d_p.inputs * d_p.channels * d_p.block_spectra * 2 * component_bytes(d_p.in);
        std::vector<std::unique_ptr<on_device>> there;
        std::vector<const void*> all;
        for (const void* block : blocks) {
            if (d_p.layout == spectra_layout::tensor_tiles) {
                const auto tiles =
                    in_tiles(block, {d_p.inputs, d_p.channels, d_p.block_spectra});
                there.push_back(std::make_unique<on_device>(tiles.data(), tiles.size()));
            } else {
                there.push_back(std::make_unique<on_device>(block, bytes));
            }
            all.push_back(there.back()->get());
        }
        d_kernel->accumulate_blocks(all, spectra);
    }
    void read(std::size_t first, std::size_t count, void* out) const override
    {
        const on_device to(out, count * baselines(d_p.inputs) * 8);
        d_kernel->read(first, count, to.get());
        to.back(out);
    }
    void clear() override { d_kernel->clear(); }

private:
    const xengine_params d_p;
    const std::unique_ptr<xengine> d_kernel;
};

class beamformer_on_device : public beamformer
{
public:
    explicit beamformer_on_device(const beamformer_params& p)
        : beamformer(p), d_kernel(make_beamformer(tested().which, p))
    {
    }
    void set_weights(const std::complex<float>* weights) override
    {
        d_kernel->set_weights(weights);
    }
    void steer(const beam_steering& towards) override { d_kernel->steer(towards); }
    void
    form(const void* spectra, std::size_t first, std::size_t count, void* beams) override
    {
        const auto block = block_of(spectra);
        const on_device in(block.data(), block.size());
        const on_device out(beams, d_p.beams * d_p.channels * d_p.block_spectra * 8);
        d_kernel->form(in.get(), first, count, out.get());
        out.back(beams);
    }
    void add(const void* spectra, std::size_t first, std::size_t count) override
    {
        const auto block = block_of(spectra);
        const on_device in(block.data(), block.size());
        d_kernel->add(in.get(), first, count);
    }
    void read(std::size_t average, float* out) const override
    {
        const on_device to(out, d_p.rows() * d_p.channels / average * sizeof(*out));
        d_kernel->read(average, to.get<float>());
        to.back(out);
    }
    void mean(beam_mean what,
              std::size_t average,
              const float* scales,
              const float* weights,
              float* out,
              float* weights_out) override
    {
        const std::size_t cells = d_p.beams * d_p.channels / average;
        const on_device to(out, (is_stokes(what) ? 2 : 1) * cells * sizeof(*out));
        const on_device weights_to(weights_out, cells * sizeof(*out));
        d_kernel->mean(
            what, average, scales, weights, to.get<float>(), weights_to.get<float>());
        to.back(out);
        weights_to.back(weights_out);
    }
    void clear() override { d_kernel->clear(); }

private:
    bytes block_of(const void* spectra) const
    {
        if (d_p.layout == spectra_layout::tensor_tiles) {
            return in_tiles(spectra, {d_p.inputs, d_p.channels, d_p.block_spectra});
        }
        const auto from = static_cast<const std::uint8_t*>(spectra);
        return {from,
                from + d_p.inputs * d_p.channels * d_p.block_spectra * 2 *
                           component_bytes(d_p.in)};
    }
    const std::unique_ptr<beamformer> d_kernel;
};

class integrator_on_device : public integrator
{
public:
    explicit integrator_on_device(const integrator_params& p)
        : d_p(p), d_kernel(make_integrator(tested().which, p))
    {
    }
    void add(std::size_t first, std::size_t count, const void* sums) override
    {
        const on_device in(sums, count * baselines(d_p.inputs) * 8);
        d_kernel->add(first, count, in.get());
    }
    void leave_out(const std::vector<flagged_spectra>& flagged) override
    {
        d_kernel->leave_out(flagged);
    }
    void mean(std::size_t first,
              std::size_t count,
              const std::uint64_t* valid,
              std::uint64_t expected,
              const float* gains,
              std::complex<float>* visibilities,
              float* weights) const override
    {
        const std::size_t size = count * baselines(d_p.inputs);
        const on_device v(visibilities, size * 8), w(weights, size * 4);
        d_kernel->mean(first,
                       count,
                       valid,
                       expected,
                       gains,
                       v.get<std::complex<float>>(),
                       w.get<float>());
        v.back(visibilities);
        w.back(weights);
    }
    void clear() override { d_kernel->clear(); }

private:
    const integrator_params d_p;
    const std::unique_ptr<integrator> d_kernel;
};

class unpacker_on_device : public unpacker
{
public:
    explicit unpacker_on_device(const unpacker_params& p)
        : d_p(p), d_kernel(make_unpacker(tested().which, p))
    {
    }
    void process(const void* raw, void* voltages) override
    {
        const on_device in(raw, d_p.from.bytes(d_p.rows.size(), d_p.block_samples));
        const on_device out(voltages, block_bytes());
        d_kernel->process(in.get(), out.get());
        out.back(voltages);
    }
    void count_saturated(const void* voltages,
                         std::size_t samples,
                         std::uint64_t* counts) override
    {
        const on_device in(voltages, block_bytes());
        const on_device to(counts, d_p.rows.size() * sizeof(*counts));
        d_kernel->count_saturated(in.get(), samples, to.get<std::uint64_t>());
        to.back(counts);
    }

private:
    std::size_t block_bytes() const
    {
        return d_p.rows.size() * d_p.block_samples * d_p.from.sample_bytes(d_p.to);
    }
    const unpacker_params d_p;
    const std::unique_ptr<unpacker> d_kernel;
};

inline std::unique_ptr<channelizer> make_fast_channelizer(channelizer_params p)
{
    if (is_time_major(tested().layout)) {
        return std::make_unique<channelizer_as_transformed>(p, tested().layout);
    }
    if (tested().which.kind != backend::cuda) {
        return make_channelizer(tested().which, p);
    }
    p.layout = p.requantize_bits ? tested().layout : spectra_layout::channel_major;
    return std::make_unique<channelizer_on_device>(p);
}

inline std::unique_ptr<kurtosis> make_fast_kurtosis(kurtosis_params p)
{
    if (tested().which.kind != backend::cuda) {
        return make_kurtosis(tested().which, p);
    }
    p.layout = p.in == component::i8 ? tested().layout : spectra_layout::channel_major;
    return std::make_unique<kurtosis_on_device>(p);
}

inline std::unique_ptr<xengine> make_fast_xengine(xengine_params p)
{
    if (is_time_major(tested().layout)) {
        return std::make_unique<xengine_as_transformed>(p, tested().layout);
    }
    if (tested().which.kind != backend::cuda) {
        return make_xengine(tested().which, p);
    }
    p.layout = p.in == component::i8 ? tested().layout : spectra_layout::channel_major;
    return std::make_unique<xengine_on_device>(p);
}

inline std::unique_ptr<beamformer> make_fast_beamformer(beamformer_params p)
{
    if (tested().which.kind != backend::cuda) {
        return make_beamformer(tested().which, p);
    }
    p.layout = p.in == component::i8 ? tested().layout : spectra_layout::channel_major;
    return std::make_unique<beamformer_on_device>(p);
}

inline std::unique_ptr<integrator> make_fast_integrator(const integrator_params& p)
{
    if (tested().which.kind != backend::cuda) {
        return make_integrator(tested().which, p);
    }
    return std::make_unique<integrator_on_device>(p);
}

inline std::unique_ptr<unpacker> make_fast_unpacker(const unpacker_params& p)
{
    if (tested().which.kind != backend::cuda) {
        return make_unpacker(tested().which, p);
    }
    return std::make_unique<unpacker_on_device>(p);
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_FAST_KERNELS_H */
