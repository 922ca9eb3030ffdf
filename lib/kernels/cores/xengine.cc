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

class cores_xengine : public xengine
{
public:
    cores_xengine(std::shared_ptr<item_lines> on, const xengine_params& p)
        : d_p(p), d_work(std::move(on))
    {
        const workers::none alone;
        for (unsigned k = 0; k < d_work.lines(); k++) {
            d_kernels.push_back(kernels::make_xengine(backend::cpu, p));
        }
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        if (d_p.in == component::i8) {
            check_exact(d_spectra + count);
        }
        d_spectra += count;
        d_work.put(spectra, nullptr, [=](unsigned line, const void* in, void*) {
            d_kernels[line]->accumulate(in, first, count);
        });
    }

    void read(std::size_t first, std::size_t count, void* out) const override
    {
        d_work.wait();
        d_kernels[0]->read(first, count, out);
        const std::size_t values = 2 * count * baselines(d_p.inputs);
        d_more.resize(values * 4);
        for (std::size_t k = 1; k < d_kernels.size(); k++) {
            d_kernels[k]->read(first, count, d_more.data());
            (d_p.in == component::i8 ? add_to<std::int32_t>
                                     : add_to<float>)(out, d_more.data(), values);
        }
    }

    void clear() override
    {
        d_work.wait();
        d_spectra = 0;
        for (auto& k : d_kernels) {
            k->clear();
        }
    }

private:
    const xengine_params d_p;
    std::vector<std::unique_ptr<xengine>> d_kernels; //!< [line]
    std::size_t d_spectra = 0;
    mutable aligned_vector<std::uint8_t> d_more;
    mutable stage_work d_work;
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
