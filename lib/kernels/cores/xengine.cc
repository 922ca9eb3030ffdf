/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/aligned.h"
#include "kernels/cores/cores.h"
#include "kernels/workers.h"
#include "kernels/xengine/backends.h"
#include <cstring>
#include <deque>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

template <class Sum>
void add_to(void* sums, const void* more, std::size_t count)
{
    for (std::size_t n = 0; n < count; n++) {
        static_cast<Sum*>(sums)[n] += static_cast<const Sum*>(more)[n];
    }
}

//! A part of a sum: every so many calls go to the same, one after the other.
struct part_of_sum {
    std::unique_ptr<xengine> kernel;
    bool used = false; //!< what it holds belongs to the sum
    item_sequence calls;
    std::uint64_t put = 0; //!< calls
};

//! A sum, in as many parts as there are lines.
struct shared_sum {
    shared_sum(std::shared_ptr<item_lines> on, const xengine_params& p)
        : parts(on->lines()), work(std::move(on))
    {
        const workers::none alone;
        for (auto& part : parts) {
            part.kernel = kernels::make_xengine(backend::cpu, p);
        }
    }

    std::deque<part_of_sum> parts;
    std::size_t next = 0; //!< part, of the next call
    std::size_t spectra = 0;
    stage_work work;
};

/*!
 * The sum that is added to, and those before it that are not cleared yet. A part is cleared
 * by who adds to it first, since it is in its cache then.
 */
class cores_xengine : public xengine
{
public:
    cores_xengine(std::shared_ptr<item_lines> on, const xengine_params& p)
        : d_p(p), d_on(std::move(on))
    {
        d_sums.push_back(std::make_unique<shared_sum>(d_on, d_p));
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        shared_sum* const to = d_sums.back().get();
        if (d_p.in == component::i8) {
            check_exact(to->spectra + count);
        }
        to->spectra += count;
        part_of_sum& part = to->parts[to->next];
        const auto add = [&part, first, count](unsigned, const void* in, void*) {
            if (!part.used) {
                part.kernel->clear();
                part.used = true;
            }
            part.kernel->accumulate(in, first, count);
        };
        to->work.put(spectra, nullptr, add, {{&part.calls, part.put}, {}});
        part.put++;
        to->next = (to->next + 1) % to->parts.size();
    }

    void read(std::size_t first, std::size_t count, void* out) const override
    {
        shared_sum& from = *d_sums.front();
        from.work.wait();
        const std::size_t values = 2 * count * baselines(d_p.inputs);
        bool any = false;
        for (const auto& part : from.parts) {
            if (!part.used) {
                continue;
            }
            if (!any) {
                part.kernel->read(first, count, out);
                any = true;
                continue;
            }
            d_more.resize(values * 4);
            part.kernel->read(first, count, d_more.data());
            (d_p.in == component::i8 ? add_to<std::int32_t>
                                     : add_to<float>)(out, d_more.data(), values);
        }
        if (!any) {
            check_channels(d_p, first, count);
            std::memset(out, 0, values * 4);
        }
    }

    void clear() override
    {
        shared_sum& oldest = *d_sums.front();
        oldest.work.wait();
        oldest.spectra = oldest.next = 0;
        for (auto& part : oldest.parts) {
            part.used = false;
        }
        if (d_sums.size() > 1) {
            d_spare.push_back(std::move(d_sums.front()));
            d_sums.pop_front();
        }
    }

    bool finished() const override { return d_sums.front()->work.idle(); }

    bool begin_another() override
    {
        constexpr std::size_t most_sums = 3;
        const std::size_t bytes =
            8 * d_p.channels * baselines(d_p.inputs) * d_on->lines();
        if (most_sums * bytes > most_bytes_of_sums || d_sums.size() == most_sums) {
            return false;
        }
        if (d_spare.empty()) {
            d_spare.push_back(std::make_unique<shared_sum>(d_on, d_p));
        }
        d_sums.push_back(std::move(d_spare.back()));
        d_spare.pop_back();
        return true;
    }

private:
    const xengine_params d_p;
    const std::shared_ptr<item_lines> d_on;
    std::deque<std::unique_ptr<shared_sum>> d_sums; //!< the oldest first
    std::vector<std::unique_ptr<shared_sum>> d_spare;
    mutable aligned_vector<std::uint8_t> d_more;
};

} // namespace

std::unique_ptr<xengine> make_cores_xengine(std::shared_ptr<item_lines> on,
                                            const xengine_params& p)
{
    return std::make_unique<cores_xengine>(std::move(on), p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
