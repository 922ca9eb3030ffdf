/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/backends.h"
#include "kernels/cores/cores.h"
#include "kernels/workers.h"
#include <deque>
#include <stdexcept>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

using factors = std::shared_ptr<const std::vector<std::complex<float>>>;

using kept_samples = std::shared_ptr<const sample_history>;

//! What a call keeps for the next one: null until it has, and where it failed.
using kept_by_call = std::shared_ptr<kept_samples>;

const kept_samples& known(const kept_by_call& kept)
{
    if (!*kept) {
        throw std::runtime_error("channelizer: the samples before these are missing");
    }
    return *kept;
}

//! All that a call needs which may have changed when it is done.
struct put_off {
    kept_by_call past, kept; //!< of the call before, and of this one
    std::size_t in_stride, rows;
    std::uint64_t* saturated;
    steering towards;
    std::vector<double> delays;
    valid_spectra valid;
    std::vector<char> valid_copy;
    factors corrections, then;           //!< `then` from row `change` on, or null
    std::size_t change = 0, made_before; //!< rows, and the spectra they make
};

class cores_channelizer : public channelizer
{
public:
    cores_channelizer(std::shared_ptr<item_lines> on, const channelizer_params& p)
        : d_p(p),
          d_nothing(std::make_shared<sample_history>(history_of(p))),
          d_rows(d_nothing->without_samples()),
          d_corrections(
              std::make_shared<std::vector<std::complex<float>>>(p.corrections)),
          d_work(std::move(on))
    {
        d_runs.resize(d_work.lines());
        start_anew();
        const workers::none alone;
        for (unsigned k = 0; k < d_work.lines(); k++) {
            d_lines.push_back({make_cpu_channelizer(p), d_corrections});
        }
    }

    std::size_t process(const void* in,
                        std::size_t in_stride,
                        std::size_t samples,
                        void* out,
                        std::uint64_t* saturated) override
    {
        check_samples(d_p, in_stride, samples);
        check_steered(d_p, d_towards, samples);
        const std::size_t fresh = samples / d_p.points();
        const std::size_t spectra = d_rows.spectra(fresh);
        auto call = std::make_shared<put_off>();
        call->past = d_kept;
        d_kept = call->kept = std::make_shared<kept_samples>();
        call->in_stride = in_stride;
        call->rows = fresh;
        call->saturated = saturated;
        call->towards = d_towards;
        const std::size_t width = d_p.reach > 0 ? d_towards.stride * d_p.inputs : 0;
        call->delays.assign(d_towards.delays, d_towards.delays + width);
        call->valid = d_valid;
        const std::size_t known = d_valid.valid ? d_valid.stride * d_p.inputs : 0;
        call->valid_copy.assign(d_valid.valid, d_valid.valid + known);
        call->corrections = d_corrections;
        plan_change(*call, fresh, spectra);
        d_rows.keep(nullptr, 0, fresh);
        d_valid = {};
        put_keeping(in, call);
        put_run(in, spectra > 0 ? out : nullptr, call);
        return spectra;
    }

    void blank(void* out,
               std::size_t input,
               std::size_t first,
               std::size_t count) const override
    {
        d_work.put(out, nullptr, [=](unsigned line, const void* block, void*) {
            d_lines[line].kernel->blank(const_cast<void*>(block), input, first, count);
        });
    }
    void reset() override
    {
        d_rows.clear();
        start_anew();
    }
    void steer(const steering& towards) override
    {
        check_steering(d_p, towards);
        d_towards = towards;
    }
    void set_valid(const valid_spectra& valid) override { d_valid = valid; }

    void read_powers(float* s1, float* s2) override
    {
        check_powers(d_p);
        d_work.wait();
        const std::size_t cells = d_p.inputs * d_p.channels;
        std::vector<float> one(cells), two(cells);
        std::fill_n(s1, cells, 0.0f);
        std::fill_n(s2, cells, 0.0f);
        for (auto& l : d_lines) {
            l.kernel->read_powers(one.data(), two.data());
            for (std::size_t k = 0; k < cells; k++) {
                s1[k] += one[k];
                s2[k] += two[k];
            }
        }
    }

    void set_gains(const std::vector<float>& gains) override
    {
        check_gains(gains, d_p.inputs);
        d_work.wait();
        for (auto& l : d_lines) {
            l.kernel->set_gains(gains);
        }
    }
    void set_corrections(const std::vector<std::complex<float>>& corrections) override
    {
        check_corrections(d_p, corrections);
        d_corrections = std::make_shared<std::vector<std::complex<float>>>(corrections);
    }
    void
    set_corrections_from(std::size_t from,
                         const std::vector<std::complex<float>>& corrections) override
    {
        check_corrections(d_p, corrections);
        d_change = from;
        d_then = std::make_shared<std::vector<std::complex<float>>>(corrections);
    }

private:
    //! What belongs to a core.
    struct line {
        std::unique_ptr<resumable_channelizer> kernel;
        factors corrections;
    };

    std::size_t stride_bytes(std::size_t samples) const
    {
        return samples * component_bytes(d_p.in) * (d_p.complex_samples ? 2 : 1);
    }

    //! Where in a call the corrections change.
    void plan_change(put_off& call, std::size_t fresh, std::size_t spectra)
    {
        if (!d_then) {
            return;
        }
        // The last rows of the windows of the spectra before it.
        const std::size_t without = fresh - spectra;
        call.change = std::min(fresh, d_change > 0 ? without + d_change : 0);
        call.made_before = std::min(d_change, spectra);
        call.then = d_corrections = d_then;
        d_then = nullptr;
    }

    // The item behind this one may be another core's, and comes after it.
    void put_keeping(const void* in, const std::shared_ptr<put_off>& call)
    {
        const auto keep = [this, call](unsigned, const void* from, void*) {
            *call->kept = behind(known(call->past),
                                 *call,
                                 static_cast<const std::uint8_t*>(from),
                                 call->rows);
        };
        d_work.put(in, nullptr, keep, {{&d_keeping, d_calls}, {}});
    }

    // Powers are added up in the same order, whichever core is the faster.
    void put_run(const void* in, void* out, const std::shared_ptr<put_off>& call)
    {
        const std::size_t part = d_calls % d_lines.size();
        item_order when{{}, {&d_keeping, d_calls}};
        if (d_p.sum_powers) {
            when.is = {&d_runs[part], d_calls / d_lines.size()};
        }
        const auto work = [this, call, part](unsigned line, const void* from, void* to) {
            run(d_lines[d_p.sum_powers ? part : line], *call, from, to);
        };
        d_work.put(in, out, work, when);
        d_calls++;
    }

    //! Nothing was kept before the next call.
    void start_anew() { d_kept = std::make_shared<kept_samples>(d_nothing); }

    void run(line& on, put_off& call, const void* in, void* out) const
    {
        const auto from = static_cast<const std::uint8_t*>(in);
        const auto to = static_cast<std::uint8_t*>(out);
        const kept_samples past = known(call.past);
        std::vector<std::uint64_t> clipped(d_p.inputs);
        use(on, call.corrections);
        const std::size_t before = call.then ? call.change : call.rows;
        part(on, call, past, from, before, 0, to, clipped);
        if (call.then) {
            use(on, call.then);
            part(on,
                 call,
                 behind(past, call, from, before),
                 from + stride_bytes(before * d_p.points()),
                 call.rows - before,
                 call.made_before,
                 to,
                 clipped);
        }
        add_counts(clipped, call.saturated);
    }

    //! What is kept behind `rows` of a call.
    kept_samples behind(const kept_samples& past,
                        const put_off& call,
                        const std::uint8_t* in,
                        std::size_t rows) const
    {
        return std::make_shared<sample_history>(
            past->followed_by(in, stride_bytes(call.in_stride), rows));
    }

    static void use(line& on, const factors& corrections)
    {
        if (on.corrections != corrections) {
            on.kernel->set_corrections(*corrections);
            on.corrections = corrections;
        }
    }

    //! Rows of a call from `in` on, to spectra from `made` on.
    void part(line& on,
              const put_off& call,
              kept_samples past,
              const std::uint8_t* in,
              std::size_t rows,
              std::size_t made,
              std::uint8_t* out,
              std::vector<std::uint64_t>& clipped) const
    {
        if (rows == 0) {
            return;
        }
        if (d_p.reach > 0) { // windows may begin in one and end in the other
            const auto joined = std::make_shared<sample_history>(*past);
            joined->join(in, stride_bytes(call.in_stride), rows);
            past = joined;
        }
        on.kernel->resume(std::move(past));
        if (d_p.reach > 0) {
            steering towards = call.towards;
            towards.delays = call.delays.data() + made;
            on.kernel->steer(towards);
        }
        if (!call.valid_copy.empty()) {
            on.kernel->set_valid({call.valid_copy.data() + made, call.valid.stride});
        }
        on.kernel->process(in,
                           call.in_stride,
                           rows * d_p.points(),
                           out + made * spectrum_stride(d_p),
                           clipped.data());
    }

    const channelizer_params d_p;
    std::vector<line> d_lines;
    const kept_samples d_nothing;
    sample_history d_rows; //!< of the calls so far
    kept_by_call d_kept;   //!< by the last of them
    steering d_towards{};
    valid_spectra d_valid{};
    factors d_corrections, d_then; //!< `then` from spectrum d_change of the next call on
    std::size_t d_change = 0;
    std::uint64_t d_calls = 0;
    item_sequence d_keeping;
    std::deque<item_sequence> d_runs; //!< [line], of calls that add powers up
    mutable stage_work d_work;
};

} // namespace

std::unique_ptr<channelizer> make_cores_channelizer(std::shared_ptr<item_lines> on,
                                                    const channelizer_params& p)
{
    check_channelizer(p);
    return std::make_unique<cores_channelizer>(std::move(on), p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
