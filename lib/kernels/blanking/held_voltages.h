/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_HELD_VOLTAGES_H
#define INCLUDED_FRINGE_KERNELS_BLANKING_HELD_VOLTAGES_H

#include "kernels/base/aligned.h"
#include "kernels/blanking/backends.h"
#include "kernels/blanking/window_levels.h"
#include <cstring>

namespace gr::fringe::kernels {

/*!
 * Voltages that a CPU holds. Each input has twice the room that is needed, so the samples
 * move to the front seldom.
 */
template <class T>
class held_voltages : public blanking
{
public:
    explicit held_voltages(const blanking_params& p)
        : d_p(p),
          d_parts(p.complex_samples ? 2 : 1),
          d_row(2 * p.held_samples * d_parts),
          d_values(p.inputs * d_row)
    {
    }

    void append(const void* block, std::size_t samples) override
    {
        check_room(d_p, d_held, samples);
        if ((d_first + d_held + samples) * d_parts > d_row) {
            for (std::size_t i = 0; i < d_p.inputs; ++i) {
                std::memmove(
                    row(i), row(i) + d_first * d_parts, d_held * d_parts * sizeof(T));
            }
            d_first = 0;
        }
        for (std::size_t i = 0; i < d_p.inputs; ++i) {
            std::memcpy(row(i) + (d_first + d_held) * d_parts,
                        static_cast<const T*>(block) + i * d_p.block_samples * d_parts,
                        samples * d_parts * sizeof(T));
        }
        d_held += samples;
    }

    void zero(const std::vector<sample_run>& runs) override
    {
        check_runs(d_p, d_held, runs);
        for (const sample_run& r : runs) {
            std::memset(samples_of(r.input, r.first), 0, r.count * d_parts * sizeof(T));
        }
    }

    void take(void* block, std::size_t samples) override
    {
        check_held(d_held, 0, samples);
        check_room(d_p, 0, samples);
        for (std::size_t i = 0; i < d_p.inputs; ++i) {
            std::memcpy(static_cast<T*>(block) + i * d_p.block_samples * d_parts,
                        samples_of(i, 0),
                        samples * d_parts * sizeof(T));
        }
        d_first += samples;
        d_held -= samples;
    }

    void clear() override { d_first = d_held = 0; }

protected:
    T* samples_of(std::size_t input, std::size_t first)
    {
        return row(input) + (d_first + first) * d_parts;
    }

    const blanking_params d_p;
    const std::size_t d_parts; //!< of a sample
    std::size_t d_held = 0;

private:
    T* row(std::size_t input) { return d_values.data() + input * d_row; }

    const std::size_t d_row; //!< values of an input
    aligned_vector<T> d_values;
    std::size_t d_first = 0; //!< the oldest sample
};

//! Held voltages that are searched: add `Loops` of levels_of_cells, and cells(x, cells, powers)
//! for the powers of cells.
template <class T, class Loops>
class searched_voltages : public held_voltages<T>
{
public:
    using held_voltages<T>::d_p;
    using held_voltages<T>::d_held;

    explicit searched_voltages(const blanking_params& p)
        : held_voltages<T>(p), d_levels(p), d_loops(p.complex_samples)
    {
    }

    std::vector<window_levels> levels(const sample_windows& of,
                                      const std::vector<sample_run>& lost) override
    {
        check_windows(d_held, of);
        check_runs(d_p, d_held, lost);
        std::vector<window_levels> found;
        for (std::size_t k = 0; k < of.windows(); ++k) {
            const std::size_t cells = of.samples(k) / blanking::cell;
            d_powers.resize(d_p.inputs * cells);
            for (std::size_t i = 0; i < d_p.inputs; ++i) {
                d_loops.cells(
                    this->samples_of(i, of.begin(k)), cells, d_powers.data() + i * cells);
            }
            std::vector<char> some(d_p.inputs);
            for_lost_cells(of, k, lost, [&](std::size_t i, std::size_t cell) {
                d_powers[i * cells + cell] = -1;
                some[i] = 1;
            });
            found.push_back(d_levels.find(d_powers.data(), cells, some));
        }
        return found;
    }

protected:
    levels_of_cells<Loops> d_levels;
    const typename Loops::template of_type<T> d_loops;

private:
    std::vector<double> d_powers;
};

//! Makes a class of the type of the voltages.
template <template <class> class Of>
std::unique_ptr<blanking> make_of_component(const blanking_params& p)
{
    switch (p.in) {
    case component::i8:
        return std::make_unique<Of<std::int8_t>>(p);
    case component::i16:
        return std::make_unique<Of<std::int16_t>>(p);
    default:
        return std::make_unique<Of<float>>(p);
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_HELD_VOLTAGES_H */
