/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/dump_imager.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace gr::fringe::kernels {

namespace {

const std::string me = "dump_imager";

void check(const dump_imager_params& p)
{
    const auto number = [](std::size_t n) { return std::to_string(n); };
    require(me,
            p.planes.size() == p.image.polarizations,
            "planes are " + number(p.planes.size()) + "; the image has " +
                number(p.image.polarizations) + " polarizations");
    require(me,
            p.frequencies.size() == p.channels,
            "frequencies are " + number(p.frequencies.size()) + "; there are " +
                number(p.channels) + " channels");
    const std::size_t products = p.inputs * (p.inputs + 1) / 2;
    for (const auto& plane : p.planes) {
        require(me,
                plane.parts.size() == 1 || plane.parts.size() == 2,
                "a plane has " + number(plane.parts.size()) +
                    " parts; it must have one or two");
        for (const auto& part : plane.parts) {
            require(me,
                    part.products.size() == p.rows.size() &&
                        part.conjugated.size() == p.rows.size(),
                    "a plane has " + number(part.products.size()) +
                        " products; there are " + number(p.rows.size()) + " rows");
            for (const auto product : part.products) {
                require(me,
                        product < 0 || std::size_t(product) < products,
                        "product " + std::to_string(product) + "; there are " +
                            number(products));
            }
        }
    }
    for (const auto& row : p.rows) {
        require(me,
                row[0] < p.antennas && row[1] < p.antennas,
                "a row has antenna " + number(std::max(row[0], row[1])) + "; there are " +
                    number(p.antennas));
    }
    std::size_t end = 0;
    for (const auto& group : p.groups) {
        require(me,
                group[0] >= end && group[1] > 0 && group[0] + group[1] <= p.channels,
                "a group begins at channel " + number(group[0]) + " and has " +
                    number(group[1]) +
                    " channels; groups follow each other, up to channel " +
                    number(p.channels));
        end = group[0] + group[1];
    }
}

//! In the host's memory.
class host_imager : public dump_imager
{
public:
    host_imager(const compute_target& which, const dump_imager_params& p)
        : d_p(p), d_gridder(make_gridder(which, p.image))
    {
        for (const auto& group : p.groups) {
            const std::size_t values = p.planes.size() * p.rows.size() * group[1];
            d_data.emplace_back(values);
            d_factors.emplace_back(values);
        }
    }

    void begin(const dump_geometry& g) override
    {
        d_geometry = g;
        d_uvw = row_places(d_p, g);
    }

    void take(std::size_t first,
              std::size_t count,
              const std::complex<float>* visibilities,
              const float* weights) override
    {
        const std::size_t products = d_p.inputs * (d_p.inputs + 1) / 2;
        for (std::size_t g = 0; g < d_p.groups.size(); g++) {
            const auto& group = d_p.groups[g];
            const std::size_t begin = std::max(first, group[0]);
            const std::size_t end = std::min(first + count, group[0] + group[1]);
            for (std::size_t c = begin; c < end; c++) {
                const std::size_t at = (c - first) * products;
                take_channel(g, c, visibilities + at, weights ? weights + at : nullptr);
            }
        }
    }

    void finish(float* images) override
    {
        const std::size_t pixels = d_p.image.columns * d_p.image.rows,
                          groups = d_p.groups.size(), planes = d_p.planes.size();
        d_weights = {std::vector<double>(planes * groups), 0};
        for (std::size_t g = 0; g < groups; g++) {
            const std::size_t values = d_p.rows.size() * d_p.groups[g][1];
            for (std::size_t k = 0; k < planes * values; k++) {
                d_weights.total[k / values * groups + g] += double(d_factors[g][k]);
                d_weights.visibilities += d_factors[g][k] > 0;
            }
            std::vector<float> made(planes * pixels);
            d_gridder->grid({d_p.rows.size(),
                             d_uvw.data(),
                             d_p.groups[g][1],
                             &d_p.frequencies[d_p.groups[g][0]]},
                            d_data[g].data(),
                            d_factors[g].data(),
                            made.data());
            for (std::size_t k = 0; k < planes * pixels; k++) {
                const std::size_t image = k / pixels * groups + g;
                const double total = d_weights.total[image];
                images[image * pixels + k % pixels] =
                    hidden(k % pixels)
                        ? std::numeric_limits<float>::quiet_NaN()
                        : float(double(made[mirrored(k)]) / (total > 0 ? total : 1));
            }
        }
    }

    dump_weights weights() override { return d_weights; }

private:
    std::size_t mirrored(std::size_t k) const
    {
        const std::size_t columns = d_p.image.columns;
        return k / columns * columns + columns - 1 - k % columns;
    }

    bool hidden(std::size_t pixel) const
    {
        const long column = long(pixel % d_p.image.columns),
                   row = long(pixel / d_p.image.columns);
        const double l =
            double(column - long((d_p.image.columns - 1) / 2)) * d_p.image.pixel_l;
        const double m = double(row - long(d_p.image.rows / 2)) * d_p.image.pixel_m;
        const double n2 = 1 - l * l - m * m;
        const auto& up = d_geometry.up;
        return n2 <= 0 || up[0] * l + up[1] * m + up[2] * std::sqrt(n2) <= 0;
    }

    void take_channel(std::size_t g,
                      std::size_t channel,
                      const std::complex<float>* visibilities,
                      const float* weights)
    {
        const auto& group = d_p.groups[g];
        const bool left_out =
            !d_geometry.left_out.empty() && d_geometry.left_out[channel];
        const auto* turns = &d_geometry.turns[channel * d_p.antennas];
        for (std::size_t n = 0; n < d_p.planes.size(); n++) {
            for (std::size_t r = 0; r < d_p.rows.size(); r++) {
                const std::size_t at =
                    (n * d_p.rows.size() + r) * group[1] + channel - group[0];
                std::complex<float> value;
                float weight = 0;
                combine(d_p.planes[n], r, visibilities, weights, value, weight);
                const double* b = &d_uvw[3 * r];
                const bool here = std::isfinite(b[0] + b[1] + b[2]) && !left_out;
                d_data[g][at] =
                    value * turns[d_p.rows[r][0]] * std::conj(turns[d_p.rows[r][1]]);
                d_factors[g][at] = here ? weight : 0;
            }
        }
    }

    static void combine(const image_plane& plane,
                        std::size_t row,
                        const std::complex<float>* visibilities,
                        const float* weights,
                        std::complex<float>& value,
                        float& weight)
    {
        std::complex<float> v[2];
        float w[2] = {0, 0};
        for (std::size_t k = 0; k < plane.parts.size(); k++) {
            const auto& part = plane.parts[k];
            const std::int32_t product = part.products[row];
            if (product < 0) {
                continue;
            }
            const auto x = visibilities[product];
            if (std::isfinite(x.real()) && std::isfinite(x.imag())) {
                v[k] = part.conjugated[row] ? std::conj(x) : x;
                w[k] = weights ? weights[product] : 1;
            }
        }
        if (plane.parts.size() == 1) {
            value = v[0] * plane.parts[0].factor;
            weight = w[0];
        } else if (plane.mean) {
            weight = w[0] + w[1];
            value = weight > 0 ? (w[0] * v[0] + w[1] * v[1]) / weight : 0;
        } else {
            const bool both = w[0] > 0 && w[1] > 0;
            weight = both ? 4 * w[0] * w[1] / (w[0] + w[1]) : 0;
            value = (plane.parts[0].factor * v[0] + plane.parts[1].factor * v[1]) * 0.5f;
        }
    }

    const dump_imager_params d_p;
    const std::unique_ptr<gridder> d_gridder;
    dump_geometry d_geometry;
    std::vector<double> d_uvw;
    std::vector<std::vector<std::complex<float>>> d_data; // [group][plane][row][channel]
    std::vector<std::vector<float>> d_factors;            // the same of weights
    dump_weights d_weights;
};

} // namespace

std::vector<double> row_places(const dump_imager_params& p, const dump_geometry& g)
{
    std::vector<double> uvw;
    uvw.reserve(3 * p.rows.size());
    for (const auto& row : p.rows) {
        for (std::size_t k = 0; k < 3; k++) {
            const double apart = g.uvw[3 * row[0] + k] - g.uvw[3 * row[1] + k];
            uvw.push_back(k == 0 ? -apart : apart);
        }
    }
    return uvw;
}

device_factory<dump_imager, dump_imager_params>& dump_imager_factory()
{
    static device_factory<dump_imager, dump_imager_params> the_factory;
    return the_factory;
}

std::unique_ptr<dump_imager> make_dump_imager(const compute_target& which,
                                              const dump_imager_params& p)
{
    check(p);
    if (which.kind == backend::cuda) {
        return dump_imager_factory().make(which, p);
    }
    return std::make_unique<host_imager>(which, p);
}

} // namespace gr::fringe::kernels
