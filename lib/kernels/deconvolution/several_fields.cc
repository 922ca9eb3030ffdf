/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/several_fields.h"
#include "kernels/base/require.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

class several_fields : public minor_cycle
{
public:
    explicit several_fields(std::vector<std::unique_ptr<minor_cycle>> fields)
        : minor_cycle(fields.front()->size()), d_fields(std::move(fields))
    {
    }

    std::size_t values() const override
    {
        std::size_t sum = 0;
        for (const auto& field : d_fields) {
            sum += field->values();
        }
        return sum;
    }

    const float* mean(const float* values) override
    {
        return d_fields.front()->mean(values);
    }

    double peak(const float* residual, const std::uint8_t* use) override
    {
        double maximum = 0;
        for (const auto& field : d_fields) {
            const double peak = field->peak(residual, use);
            // What is not a number is the highest, so that CLEAN sees it.
            maximum = maximum >= peak ? maximum : peak;
            residual += field->values();
            use += field->size().pixels();
        }
        return maximum;
    }

    minor_report run(float* residual,
                     float* model,
                     const std::uint8_t* use,
                     double gain,
                     double level,
                     std::size_t max_iterations) override
    {
        minor_report all;
        for (const auto& field : d_fields) {
            const auto report = field->run(
                residual, model, use, gain, level, max_iterations - all.iterations);
            all.iterations += report.iterations;
            all.peak = std::max(all.peak, report.peak);
            all.diverged = all.diverged || report.diverged;
            residual += field->values();
            model += field->values();
            use += field->size().pixels();
        }
        return all;
    }

private:
    const std::vector<std::unique_ptr<minor_cycle>> d_fields;
};

} // namespace

std::unique_ptr<minor_cycle>
make_several_fields(std::vector<std::unique_ptr<minor_cycle>> fields)
{
    require("CLEAN", !fields.empty(), "there are no fields");
    return fields.size() == 1 ? std::move(fields.front())
                              : std::make_unique<several_fields>(std::move(fields));
}

} // namespace gr::fringe::kernels
