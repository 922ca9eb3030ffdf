/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/unpack/unpacker.h"
#include "kernels/cores/cores.h"

namespace gr {
namespace fringe {
namespace kernels {

namespace {

class cores_unpacker : public unpacker
{
public:
    cores_unpacker(std::shared_ptr<item_lines> on, const unpacker_params& p)
        : d_inputs(p.rows.size()), d_work(std::move(on))
    {
        for (unsigned k = 0; k < d_work.lines(); k++) {
            d_kernels.push_back(kernels::make_unpacker(backend::cpu, p));
        }
    }

    void process(const void* raw, void* voltages) override
    {
        const auto unpack = [this](unsigned line, const void* in, void* out) {
            d_kernels[line]->process(in, out);
        };
        d_work.put(raw, voltages, unpack);
    }

    void count_saturated(const void* voltages,
                         std::size_t samples,
                         std::uint64_t* counts) override
    {
        const auto count = [=](unsigned line, const void* in, void*) {
            std::vector<std::uint64_t> more(d_inputs);
            d_kernels[line]->count_saturated(in, samples, more.data());
            add_counts(more, counts);
        };
        d_work.put(voltages, nullptr, count);
    }

private:
    const std::size_t d_inputs;
    std::vector<std::unique_ptr<unpacker>> d_kernels; //!< [line]
    stage_work d_work;
};

} // namespace

std::unique_ptr<unpacker> make_cores_unpacker(std::shared_ptr<item_lines> on,
                                              const unpacker_params& p)
{
    return std::make_unique<cores_unpacker>(std::move(on), p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
