/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The stages of stand_in_device.cc: the generic kernels in the stream `compute`.
#include "kernels/beamformer/backends.h"
#include "kernels/blanking/backends.h"
#include "kernels/channelizer/backends.h"
#include "kernels/deconvolution/device.h"
#include "kernels/gridder/dump_imager.h"
#include "kernels/gridder/separable/device.h"
#include "kernels/gridder/wprojection/device.h"
#include "kernels/gridder/wprojection/w_image.h"
#include "kernels/integrator/backends.h"
#include "kernels/kurtosis/backends.h"
#include "kernels/overlap_save/backends.h"
#include "kernels/peeling/backends.h"
#include "kernels/unpack/backends.h"
#include "kernels/xengine/backends.h"
#include "stand_in_device.h"
#include <optional>

namespace stand_in_device {

namespace {

class stand_in_unpacker : public unpacker
{
public:
    stand_in_unpacker(stand_in& on, const unpacker_params& p)
        : d_on(on), d_kernel(make_unpacker(backend::generic, p))
    {
    }
    void process(const void* raw, void* voltages) override
    {
        d_on.owns(raw, voltages);
        d_on.put(device_stream::compute,
                 [k = d_kernel, raw, voltages] { k->process(raw, voltages); });
    }
    void count_saturated(const void* voltages,
                         std::size_t samples,
                         std::uint64_t* counts) override
    {
        d_on.owns(voltages, counts);
        d_on.put(device_stream::compute, [k = d_kernel, voltages, samples, counts] {
            k->count_saturated(voltages, samples, counts);
        });
    }

private:
    stand_in& d_on;
    const std::shared_ptr<unpacker> d_kernel;
};

class stand_in_blanking : public blanking
{
public:
    stand_in_blanking(stand_in& on, const blanking_params& p)
        : d_on(on), d_kernel(make_blanking(backend::generic, p))
    {
    }
    void append(const void* block, std::size_t samples) override
    {
        d_on.owns(block);
        d_on.put(device_stream::compute,
                 [k = d_kernel, block, samples] { k->append(block, samples); });
    }
    std::vector<window_levels> levels(const sample_windows& of,
                                      const std::vector<sample_run>& lost) override
    {
        wait();
        return d_kernel->levels(of, lost);
    }
    std::vector<found_samples> find(const sample_windows& in,
                                    const std::vector<blanking_limits>& limits) override
    {
        wait();
        return d_kernel->find(in, limits);
    }
    void zero(const std::vector<sample_run>& runs) override
    {
        d_on.put(device_stream::compute, [k = d_kernel, runs] { k->zero(runs); });
    }
    void take(void* block, std::size_t samples) override
    {
        d_on.owns(block);
        d_on.put(device_stream::compute,
                 [k = d_kernel, block, samples] { k->take(block, samples); });
    }
    void clear() override
    {
        d_on.put(device_stream::compute, [k = d_kernel] { k->clear(); });
    }

private:
    //! The host decides, so these two wait.
    void wait()
    {
        const auto done = d_on.make_event();
        done->record(device_stream::compute);
        done->wait();
    }
    stand_in& d_on;
    const std::shared_ptr<blanking> d_kernel;
};

class stand_in_channelizer : public channelizer
{
public:
    stand_in_channelizer(stand_in& on, const channelizer_params& p)
        : d_on(on), d_p(p), d_kernel(make_channelizer(backend::generic, p))
    {
    }
    std::size_t process(const void* in,
                        std::size_t in_stride,
                        std::size_t samples,
                        void* out,
                        std::uint64_t* saturated) override
    {
        d_on.owns(in, out, saturated);
        const std::size_t fresh = samples / d_p.points();
        const std::size_t kept = d_p.taps - 1 + 2 * max_shift_rows(d_p);
        const std::size_t all = d_rows + fresh;
        // Corrections that are others from a spectrum on: two calls.
        const std::size_t before =
            std::min(fresh, d_change ? *d_change + kept - d_rows : 0);
        if (before > 0) {
            put_part(in, in_stride, 0, before, out, 0, saturated);
        }
        if (d_change) {
            set_corrections(d_next);
            d_change.reset();
        }
        const std::size_t made = d_rows + before > kept ? d_rows + before - kept : 0;
        put_part(in, in_stride, before, fresh - before, out, made, saturated);
        d_rows = std::min(all, kept);
        return all - d_rows;
    }
    void blank(void* out,
               std::size_t input,
               std::size_t first,
               std::size_t count) const override
    {
        d_on.owns(out);
        d_on.put(device_stream::compute, [k = d_kernel, out, input, first, count] {
            k->blank(out, input, first, count);
        });
    }
    void reset() override
    {
        d_rows = max_shift_rows(d_p);
        d_on.put(device_stream::compute, [k = d_kernel] { k->reset(); });
    }
    void steer(const steering& towards) override { d_towards = towards; }
    void set_corrections(const std::vector<std::complex<float>>& corrections) override
    {
        d_on.put(device_stream::compute,
                 [k = d_kernel, corrections] { k->set_corrections(corrections); });
    }
    void
    set_corrections_from(std::size_t from,
                         const std::vector<std::complex<float>>& corrections) override
    {
        d_change = from;
        d_next = corrections;
    }

private:
    //! Rows first ... first + rows - 1 of a call, to spectra from `made` on. The caller has
    //! its delays back when this returns.
    void put_part(const void* in,
                  std::size_t in_stride,
                  std::size_t first,
                  std::size_t rows,
                  void* out,
                  std::size_t made,
                  std::uint64_t* saturated)
    {
        const std::size_t row =
            d_p.points() * component_bytes(d_p.in) * (d_p.complex_samples ? 2 : 1);
        const std::size_t width =
            d_p.max_shift_samples > 0 ? d_towards.stride * d_p.inputs : 0;
        std::vector<double> delays(d_towards.delays, d_towards.delays + width);
        d_on.put(device_stream::compute,
                 [k = d_kernel,
                  from = static_cast<const char*>(in) + first * row,
                  in_stride,
                  samples = rows * d_p.points(),
                  to = static_cast<char*>(out) + made * (d_p.requantize_bits ? 2 : 8),
                  made,
                  saturated,
                  towards = d_towards,
                  delays = std::move(delays)]() mutable {
                     if (!delays.empty()) {
                         towards.delays = delays.data() + made;
                         k->steer(towards);
                     }
                     k->process(from, in_stride, samples, to, saturated);
                 });
    }

    stand_in& d_on;
    const channelizer_params d_p;
    const std::shared_ptr<channelizer> d_kernel;
    steering d_towards{};
    std::optional<std::size_t> d_change; //!< spectrum from which on d_next counts
    std::vector<std::complex<float>> d_next;
    std::size_t d_rows = max_shift_rows(d_p); //!< kept
};

class stand_in_kurtosis : public kurtosis
{
public:
    stand_in_kurtosis(stand_in& on, const kurtosis_params& p)
        : d_on(on), d_kernel(make_kurtosis(backend::generic, p))
    {
    }
    void add(const void* spectra, std::size_t count, void* copy) override
    {
        d_on.owns(spectra, copy);
        d_on.put(device_stream::compute,
                 [k = d_kernel, spectra, count, copy] { k->add(spectra, count, copy); });
    }
    void read(float* s1, float* s2) const override
    {
        d_on.owns(s1, s2);
        d_on.put(device_stream::compute, [k = d_kernel, s1, s2] { k->read(s1, s2); });
    }
    void clear() override
    {
        d_on.put(device_stream::compute, [k = d_kernel] { k->clear(); });
    }
    void zero(const std::vector<void*>& blocks,
              const std::vector<cell_run>& cells) override
    {
        for (const void* const block : blocks) {
            d_on.owns(block);
        }
        d_on.put(device_stream::compute,
                 [k = d_kernel, blocks, cells] { k->zero(blocks, cells); });
    }

private:
    stand_in& d_on;
    const std::shared_ptr<kurtosis> d_kernel;
};

class stand_in_xengine : public xengine
{
public:
    stand_in_xengine(stand_in& on, const xengine_params& p)
        : d_on(on),
          d_integer(p.in == component::i8),
          d_kernel(make_xengine(backend::generic, p))
    {
    }
    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        d_on.owns(spectra);
        d_on.put(device_stream::compute, [k = d_kernel, spectra, first, count] {
            k->accumulate(spectra, first, count);
        });
    }
    // As of large arrays on a GPU.
    std::size_t blocks_together() const override { return d_integer ? 3 : 1; }
    void read(std::size_t first, std::size_t count, void* out) const override
    {
        d_on.owns(out);
        d_on.put(device_stream::compute,
                 [k = d_kernel, first, count, out] { k->read(first, count, out); });
    }
    void clear() override
    {
        d_on.put(device_stream::compute, [k = d_kernel] { k->clear(); });
    }

private:
    stand_in& d_on;
    const bool d_integer;
    const std::shared_ptr<xengine> d_kernel;
};

class stand_in_beamformer : public beamformer
{
public:
    stand_in_beamformer(stand_in& on, const beamformer_params& p)
        : beamformer(p),
          d_on(on),
          d_weights(p.beams * p.channels * p.inputs),
          d_kernel(make_beamformer(backend::generic, p))
    {
    }
    void set_weights(const std::complex<float>* weights) override
    {
        d_on.put(device_stream::compute,
                 [k = d_kernel,
                  w = std::vector<std::complex<float>>(weights, weights + d_weights)] {
                     k->set_weights(w.data());
                 });
    }
    void
    form(const void* spectra, std::size_t first, std::size_t count, void* beams) override
    {
        d_on.owns(spectra, beams);
        d_on.put(device_stream::compute, [k = d_kernel, spectra, first, count, beams] {
            k->form(spectra, first, count, beams);
        });
    }
    void add(const void* spectra, std::size_t first, std::size_t count) override
    {
        d_on.owns(spectra);
        d_on.put(device_stream::compute, [k = d_kernel, spectra, first, count] {
            k->add(spectra, first, count);
        });
    }
    void read(std::size_t average, float* out) const override
    {
        d_on.owns(out);
        d_on.put(device_stream::compute,
                 [k = d_kernel, average, out] { k->read(average, out); });
    }
    void mean(beam_mean what,
              std::size_t average,
              const float* scales,
              const float* weights,
              float* out,
              float* weights_out) override
    {
        d_on.owns(out);
        const std::size_t cells = d_p.beams * d_p.channels / average;
        std::vector<float> w;
        if (weights_out) {
            d_on.owns(weights_out);
            w.assign(weights, weights + cells);
        }
        d_on.put(device_stream::compute,
                 [=, k = d_kernel, s = std::vector<float>(scales, scales + cells)] {
                     k->mean(what, average, s.data(), w.data(), out, weights_out);
                 });
    }
    void clear() override
    {
        d_on.put(device_stream::compute, [k = d_kernel] { k->clear(); });
    }

private:
    stand_in& d_on;
    const std::size_t d_weights;
    const std::shared_ptr<beamformer> d_kernel;
};

class stand_in_integrator : public integrator
{
public:
    stand_in_integrator(stand_in& on, const integrator_params& p)
        : d_on(on), d_p(p), d_kernel(make_integrator(backend::generic, p))
    {
    }
    void add(std::size_t first, std::size_t count, const void* sums) override
    {
        d_on.owns(sums);
        d_on.put(device_stream::compute,
                 [k = d_kernel, first, count, sums] { k->add(first, count, sums); });
    }
    void leave_out(const std::vector<flagged_spectra>& flagged) override
    {
        d_on.put(device_stream::compute,
                 [k = d_kernel, flagged] { k->leave_out(flagged); });
    }
    void mean(std::size_t first,
              std::size_t count,
              const std::uint64_t* valid,
              std::uint64_t expected,
              const float* gains,
              std::complex<float>* visibilities,
              float* weights) const override
    {
        d_on.owns(visibilities, weights);
        // What comes from the host is copied when the call returns.
        std::vector<std::uint64_t> n(valid, valid + baselines(d_p.inputs));
        std::vector<float> g;
        if (gains) {
            g.assign(gains, gains + d_p.inputs);
        }
        d_on.put(device_stream::compute, [=, k = d_kernel] {
            k->mean(first,
                    count,
                    n.data(),
                    expected,
                    g.empty() ? nullptr : g.data(),
                    visibilities,
                    weights);
        });
    }
    void clear() override
    {
        d_on.put(device_stream::compute, [k = d_kernel] { k->clear(); });
    }

private:
    stand_in& d_on;
    const integrator_params d_p;
    const std::shared_ptr<integrator> d_kernel;
};

class stand_in_overlap_save : public overlap_save
{
public:
    stand_in_overlap_save(stand_in& on,
                          const overlap_save_params& p,
                          const std::complex<float>* filters)
        : overlap_save(p),
          d_on(on),
          d_kernel(make_overlap_save(backend::generic, p, filters))
    {
    }

private:
    void run(const job& j) override
    {
        d_on.owns(j.in.at, j.out.at);
        d_on.put(device_stream::compute, [j, k = d_kernel] {
            k->filter(j.first, j.rows, j.beams, j.samples, j.in, j.out);
        });
    }

    stand_in& d_on;
    const std::shared_ptr<overlap_save> d_kernel;
};

class stand_in_convolver : public convolver
{
public:
    stand_in_convolver(stand_in& on, const w_kernels& k, std::size_t polarizations)
        : convolver(k.geometry(), polarizations),
          d_on(on),
          d_kernel(make_generic_convolver(k, polarizations))
    {
    }
    void spread(const visibility_rows& at,
                const std::complex<float>* values,
                std::complex<float>* grid) override
    {
        d_on.owns(at.uvw, values, grid);
        d_on.put(device_stream::compute,
                 [k = d_kernel, at, f = frequencies(at), values, grid] {
                     k->spread({at.rows, at.uvw, at.channels, f.data()}, values, grid);
                 });
    }
    void gather(const visibility_rows& at,
                const std::complex<float>* grid,
                std::complex<float>* values) override
    {
        d_on.owns(at.uvw, values, grid);
        d_on.put(device_stream::compute,
                 [k = d_kernel, at, f = frequencies(at), values, grid] {
                     k->gather({at.rows, at.uvw, at.channels, f.data()}, grid, values);
                 });
    }

private:
    static std::vector<double> frequencies(const visibility_rows& at)
    {
        return {at.frequencies, at.frequencies + at.channels};
    }
    stand_in& d_on;
    const std::shared_ptr<convolver> d_kernel;
};

class stand_in_transform : public grid_transform
{
public:
    stand_in_transform(stand_in& on, const w_kernels& k, const gridder_params& p)
        : d_on(on), d_kernels(k), d_p(p)
    {
    }
    void add_images(const std::complex<float>* grid, float* images) override
    {
        d_on.owns(grid, images);
        d_on.put(device_stream::compute,
                 [=] { gr::fringe::kernels::add_images(d_p, d_kernels, grid, images); });
    }
    void make_grid(const float* images, std::complex<float>* grid) override
    {
        d_on.owns(grid, images);
        d_on.put(device_stream::compute,
                 [=] { gr::fringe::kernels::make_grid(d_p, d_kernels, images, grid); });
    }

private:
    stand_in& d_on;
    const w_kernels& d_kernels;
    const gridder_params d_p;
};

class stand_in_gridder : public device_gridder
{
public:
    stand_in_gridder(stand_in& on, const gridder_params& p)
        : d_on(on), d_kernel(make_gridder(backend::generic, p))
    {
    }
    void grid(const visibility_rows& at,
              const grid_plan&,
              const std::complex<float>* data,
              const float* weights,
              float* images) override
    {
        d_on.owns(at.uvw, data, weights, images);
        d_on.put(
            device_stream::compute,
            [k = d_kernel, at, f = frequencies(at), data, weights, images] {
                k->grid({at.rows, at.uvw, at.channels, f.data()}, data, weights, images);
            });
    }
    void degrid(const visibility_rows& at,
                const grid_plan&,
                const float* images,
                std::complex<float>* data) override
    {
        d_on.owns(at.uvw, images, data);
        d_on.put(device_stream::compute,
                 [k = d_kernel, at, f = frequencies(at), images, data] {
                     k->degrid({at.rows, at.uvw, at.channels, f.data()}, images, data);
                 });
    }

private:
    static std::vector<double> frequencies(const visibility_rows& at)
    {
        return {at.frequencies, at.frequencies + at.channels};
    }
    stand_in& d_on;
    const std::shared_ptr<gridder> d_kernel;
};

class stand_in_imager : public dump_imager
{
public:
    stand_in_imager(stand_in& on, const dump_imager_params& p)
        : d_on(on),
          d_kernel(make_dump_imager(backend::generic, p)),
          d_taken(on.make_event()),
          d_finished(on.make_event())
    {
    }
    void begin(const dump_geometry& g) override
    {
        d_finished->make_wait(device_stream::compute);
        d_on.put(device_stream::compute, [k = d_kernel, g] { k->begin(g); });
    }
    void take(std::size_t first,
              std::size_t count,
              const std::complex<float>* visibilities,
              const float* weights) override
    {
        d_on.owns(visibilities, weights);
        d_on.put(device_stream::compute,
                 [k = d_kernel, first, count, visibilities, weights] {
                     k->take(first, count, visibilities, weights);
                 });
    }
    void finish(float* images) override
    {
        d_on.owns(images);
        d_taken->record(device_stream::compute);
        d_taken->make_wait(device_stream::background);
        d_on.put(device_stream::background,
                 [k = d_kernel, images] { k->finish(images); });
        d_finished->record(device_stream::background);
    }
    dump_weights weights() override
    {
        d_finished->wait();
        return d_kernel->weights();
    }

private:
    stand_in& d_on;
    const std::shared_ptr<dump_imager> d_kernel;
    const std::unique_ptr<device_event> d_taken, d_finished;
};

class stand_in_peeling : public peeling
{
public:
    stand_in_peeling(stand_in& on, const peeling_params& p)
        : d_on(on), d_kernel(make_peeling(backend::generic, p)), d_taken(on.make_event())
    {
    }
    void begin(const peeling_sky& sky) override
    {
        d_on.put(device_stream::compute, [k = d_kernel, sky] { k->begin(sky); });
    }
    void take(std::size_t first,
              std::size_t count,
              const std::complex<float>* visibilities,
              const float* weights) override
    {
        d_on.owns(visibilities, weights);
        d_on.put(device_stream::compute,
                 [k = d_kernel, first, count, visibilities, weights] {
                     k->take(first, count, visibilities, weights);
                 });
        d_taken->record(device_stream::compute);
    }
    peeling_sums sums(std::size_t hand,
                      std::size_t group,
                      const std::vector<std::complex<float>>& gains,
                      float clip) override
    {
        peeling_sums made;
        d_taken->make_wait(device_stream::background);
        d_on.put(device_stream::background,
                 [&, k = d_kernel] { made = k->sums(hand, group, gains, clip); });
        const auto ready = d_on.make_event();
        ready->record(device_stream::background);
        ready->wait();
        return made;
    }
    void set_gains(const std::vector<std::complex<float>>& gains) override
    {
        d_on.put(device_stream::compute, [k = d_kernel, gains] { k->set_gains(gains); });
    }
    void subtract(std::size_t first,
                  std::size_t count,
                  std::complex<float>* visibilities,
                  float* weights) override
    {
        d_on.owns(visibilities, weights);
        d_on.put(device_stream::compute,
                 [k = d_kernel, first, count, visibilities, weights] {
                     k->subtract(first, count, visibilities, weights);
                 });
    }

private:
    stand_in& d_on;
    const std::shared_ptr<peeling> d_kernel;
    const std::unique_ptr<device_event> d_taken;
};

class stand_in_minor : public device_minor
{
public:
    stand_in_minor(stand_in& on,
                   minor_method how,
                   const image_size& size,
                   const float* psf)
        : d_on(on), d_kernel(make_minor_cycle(backend::cpu, how, size, psf))
    {
    }
    minor_report run(float* residual,
                     float* model,
                     const std::uint8_t* use,
                     double gain,
                     double level,
                     std::size_t max_iterations) override
    {
        d_on.owns(residual, model, use);
        minor_report report;
        d_on.put(device_stream::compute, [&, k = d_kernel] {
            report = k->run(residual, model, use, gain, level, max_iterations);
        });
        d_on.synchronize();
        return report;
    }

private:
    stand_in& d_on;
    const std::shared_ptr<minor_cycle> d_kernel;
};

const bool has_minor = device_minor_factory().set([](std::size_t index,
                                                     const minor_method& how,
                                                     const image_size& size,
                                                     const float* const& psf) {
    return std::unique_ptr<device_minor>(
        std::make_unique<stand_in_minor>(*stand_in_number(index), how, size, psf));
});
const bool has_minor_cycle = minor_cycle_factory().set([](std::size_t index,
                                                          const minor_method& how,
                                                          const image_size& size,
                                                          const float* const& psf) {
    return make_minor_cycle_on(stand_in_number(index), how, size, psf);
});
const bool has_unpacker =
    unpacker_factory().set([](std::size_t index, const unpacker_params& p) {
        return std::unique_ptr<unpacker>(
            std::make_unique<stand_in_unpacker>(*stand_in_number(index), p));
    });
const bool has_channelizer =
    channelizer_factory().set([](std::size_t index, const channelizer_params& p) {
        return std::unique_ptr<channelizer>(
            std::make_unique<stand_in_channelizer>(*stand_in_number(index), p));
    });
const bool has_blanking =
    blanking_factory().set([](std::size_t index, const blanking_params& p) {
        return std::unique_ptr<blanking>(
            std::make_unique<stand_in_blanking>(*stand_in_number(index), p));
    });
const bool has_kurtosis =
    kurtosis_factory().set([](std::size_t index, const kurtosis_params& p) {
        return std::unique_ptr<kurtosis>(
            std::make_unique<stand_in_kurtosis>(*stand_in_number(index), p));
    });
const bool has_xengine =
    xengine_factory().set([](std::size_t index, const xengine_params& p) {
        return std::unique_ptr<xengine>(
            std::make_unique<stand_in_xengine>(*stand_in_number(index), p));
    });
const bool has_integrator =
    integrator_factory().set([](std::size_t index, const integrator_params& p) {
        return std::unique_ptr<integrator>(
            std::make_unique<stand_in_integrator>(*stand_in_number(index), p));
    });
const bool has_beamformer =
    beamformer_factory().set([](std::size_t index, const beamformer_params& p) {
        return std::unique_ptr<beamformer>(
            std::make_unique<stand_in_beamformer>(*stand_in_number(index), p));
    });
const bool has_overlap_save =
    overlap_save_factory().set([](std::size_t index,
                                  const overlap_save_params& p,
                                  const std::complex<float>* const& filters) {
        return std::unique_ptr<overlap_save>(
            std::make_unique<stand_in_overlap_save>(*stand_in_number(index), p, filters));
    });
const bool has_overlap_save_of_host =
    overlap_save_of_host_factory().set([](std::size_t index,
                                          const overlap_save_params& p,
                                          const std::complex<float>* const& filters) {
        return make_overlap_save_on(
            stand_in_number(index),
            std::make_unique<stand_in_overlap_save>(*stand_in_number(index), p, filters));
    });
const bool has_convolver = convolver_factory().set(
    [](std::size_t index, const w_kernels& k, const convolver_params& p) {
        return std::unique_ptr<convolver>(std::make_unique<stand_in_convolver>(
            *stand_in_number(index), k, p.polarizations));
    });
const bool has_transform = transform_factory().set(
    [](std::size_t index, const w_kernels& k, const gridder_params& p) {
        return std::unique_ptr<grid_transform>(
            std::make_unique<stand_in_transform>(*stand_in_number(index), k, p));
    });
const bool has_projector = projector_factory().set(
    [](std::size_t index, const w_kernels& k, const gridder_params& p) {
        return make_device_projector(stand_in_number(index), k, p);
    });
const bool has_imager =
    dump_imager_factory().set([](std::size_t index, const dump_imager_params& p) {
        return std::unique_ptr<dump_imager>(
            std::make_unique<stand_in_imager>(*stand_in_number(index), p));
    });
const bool has_peeling =
    peeling_factory().set([](std::size_t index, const peeling_params& p) {
        return std::unique_ptr<peeling>(
            std::make_unique<stand_in_peeling>(*stand_in_number(index), p));
    });
const bool has_device_gridder =
    device_gridder_factory().set([](std::size_t index, const gridder_params& p) {
        return std::unique_ptr<device_gridder>(
            std::make_unique<stand_in_gridder>(*stand_in_number(index), p));
    });
const bool has_separable =
    separable_factory().set([](std::size_t index, const gridder_params& p) {
        return make_separable_gridder_on(stand_in_number(index), p);
    });

} // namespace

} // namespace stand_in_device
