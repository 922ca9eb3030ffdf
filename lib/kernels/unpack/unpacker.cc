/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/require.h"
#include "kernels/unpack/backends.h"
#include "kernels/unpack/saturation.h"

namespace gr::fringe::kernels {

namespace {

const std::string me = "unpack";

void check_rows(const std::vector<std::size_t>& rows)
{
    std::vector<bool> used(rows.size());
    for (const std::size_t r : rows) {
        require(me,
                r < rows.size() && !used[r],
                "rows has " + std::to_string(r) + "; every input 0 to " +
                    std::to_string(rows.size() - 1) + " must be there once");
        used[r] = true;
    }
}

void check(const unpacker_params& p)
{
    require(me, !p.rows.empty(), "rows is empty; it must name an input for every place");
    require(me,
            p.files >= 1 && p.rows.size() % p.files == 0,
            "files is " + std::to_string(p.files) + "; it must divide the " +
                std::to_string(p.rows.size()) + " inputs");
    require(me,
            p.block_samples >= 1 && p.block_samples * p.from.bits % 8 == 0,
            "block_samples is " + std::to_string(p.block_samples) +
                "; it must make whole bytes of samples of " +
                std::to_string(p.from.bits) + " bits");
    require(me,
            p.from.holds(p.to),
            std::string("component ") + component_name(p.to) +
                " cannot hold the values of " + p.from.name + "; " +
                component_name(p.from.natural) + " or wider can");
    check_rows(p.rows);
}

//! With the functions of the encoding.
class host_unpacker : public unpacker
{
public:
    host_unpacker(const unpacker_params& p, encoding::function unpack)
        : d_p(p), d_unpack(unpack)
    {
    }

    void process(const void* raw, void* voltages) override
    {
        const std::size_t streams = d_p.rows.size() / d_p.files;
        auto from = static_cast<const std::uint8_t*>(raw);
        for (std::size_t first = 0; first < d_p.rows.size(); first += streams) {
            d_unpack(from,
                     streams,
                     d_p.block_samples,
                     &d_p.rows[first],
                     voltages,
                     d_p.block_samples);
            from += d_p.from.bytes(streams, d_p.block_samples);
        }
    }

    void count_saturated(const void* voltages,
                         std::size_t samples,
                         std::uint64_t* counts) override
    {
        const std::size_t row = d_p.block_samples * d_p.from.sample_bytes(d_p.to);
        for (std::size_t i = 0; i < d_p.rows.size(); i++) {
            counts[i] += saturated(d_p.from,
                                   d_p.to,
                                   static_cast<const std::uint8_t*>(voltages) + i * row,
                                   samples);
        }
    }

private:
    const unpacker_params d_p;
    const encoding::function d_unpack;
};

} // namespace

device_factory<unpacker, unpacker_params>& unpacker_factory()
{
    static device_factory<unpacker, unpacker_params> the_factory;
    return the_factory;
}

std::unique_ptr<unpacker> make_unpacker(const compute_target& where,
                                        const unpacker_params& p)
{
    check(p);
    if (where.kind == backend::cuda) {
        return unpacker_factory().make(where, p);
    }
    return std::make_unique<host_unpacker>(
        p,
        p.from.unpack[static_cast<std::size_t>(where.kind)]
                     [static_cast<std::size_t>(p.to)]);
}

} // namespace gr::fringe::kernels
