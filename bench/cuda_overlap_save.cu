/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Filters in time on a GPU, as dedispersion has them, kernels only: beside both of cuFFT's
// transforms alone, of the same points and as many, and beside a copy of the samples of the same
// run. Then from the host's memory to it, beside the copies of the bus and the CPU backend.
// Results are compared with the reference backend.
//
//     bench_cuda_overlap_save [--quick]

#include "cuda_timing.h"
#include "kernels/channelizer/cuda/cufft.h"
#include "kernels/overlap_save/overlap_save.h"
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

using namespace gr::fringe::kernels;

namespace {

using sample = std::complex<float>;

std::vector<sample> noise(std::size_t count)
{
    std::mt19937 engine(1);
    std::normal_distribution<float> normal;
    std::vector<sample> some(1 << 16), out(count);
    for (auto& value : some) {
        value = {normal(engine), normal(engine)};
    }
    for (std::size_t n = 0; n < count; n++) {
        out[n] = some[n % 65521];
    }
    return out;
}

std::vector<sample> turns(std::size_t count)
{
    std::mt19937 engine(2);
    std::uniform_real_distribution<float> angle(0, 6.28f);
    std::vector<sample> out(count);
    for (auto& value : out) {
        value = std::polar(1.0f, angle(engine));
    }
    return out;
}

//! The largest difference of two streams of some rows.
double apart(const overlap_save_params& p,
             const std::vector<sample>& filters,
             std::size_t samples,
             const std::vector<sample>& in,
             const std::vector<sample>& out)
{
    const auto exact = make_overlap_save(backend::generic, p, filters.data());
    const std::size_t made = p.made_of(samples);
    std::vector<sample> right(made);
    double maximum = 0;
    for (std::size_t row : {std::size_t(0), p.rows - 1}) {
        exact->filter(row,
                      1,
                      1,
                      samples,
                      {in.data() + 2 * row * samples, samples},
                      {right.data(), made});
        for (std::size_t n = 0; n < made; n++) {
            maximum = std::max(maximum, double(std::abs(right[n] - out[2 * row * made + n])));
        }
    }
    return maximum / std::sqrt(2.0);
}

double seconds_of(int rounds, const std::function<void()>& job)
{
    std::vector<double> all;
    for (int round = -1; round < rounds; round++) {
        const auto begin = std::chrono::steady_clock::now();
        job();
        const std::chrono::duration<double> took =
            std::chrono::steady_clock::now() - begin;
        if (round >= 0) {
            all.push_back(took.count());
        }
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

//! Two polarizations of `rows` channels; a filter takes from an eighth of its points.
void row(const cuda_context& c, std::size_t rows, std::size_t points, int rounds)
{
    overlap_save_params p;
    p.rows = rows;
    p.points = points;
    p.past = p.future = points / 16;
    const std::size_t beams = 2;
    const std::size_t steps =
        std::max<std::size_t>(1, (std::size_t(1) << 25) / (rows * beams * p.step()));
    const std::size_t samples = steps * p.step() + p.past + p.future;
    const std::size_t made = p.made_of(samples);
    const double all = double(rows * beams * made);
    const auto filters = turns(rows * points), here = noise(rows * beams * samples);
    cuda_array<sample> in(c, here.size()), out(c, rows * beams * made);
    check_cuda(cudaMemcpy(in.data(), here.data(), in.bytes(), cudaMemcpyHostToDevice),
               "copying samples");
    const auto kernel = make_overlap_save(backend::cuda, p, filters.data());
    const double took =
        time_of(context_of(0), rounds, [&] {
            kernel->filter(
                0, rows, beams, samples, {in.data(), samples}, {out.data(), made});
        }).median;
    std::vector<sample> found(rows * beams * made);
    check_cuda(cudaMemcpy(found.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost),
               "copying samples");
    const double error = apart(p, filters, samples, here, found);
    const double copy = time_of(c, rounds, [&] {
                            check_cuda(cudaMemcpyAsync(out.data(),
                                                       in.data(),
                                                       out.bytes(),
                                                       cudaMemcpyDeviceToDevice,
                                                       c.compute),
                                       "copying");
                        }).median;
    cuda_array<float2> work(c, rows * beams * steps * points);
    const cufft_transform transform(c, points, rows * beams * steps);
    const double alone = time_of(c, rounds, [&] {
                             transform.run(work.data());
                             transform.run(work.data());
                         }).median;
    const auto of_host = make_overlap_save_of_host(backend::cuda, p, filters.data());
    const auto on_cpu = make_overlap_save(backend::cpu, p, filters.data());
    const auto rate_of = [&](overlap_save& with) {
        return all / 1e9 / seconds_of(rounds / 5, [&] {
                   with.filter(0,
                               rows,
                               beams,
                               samples,
                               {here.data(), samples},
                               {found.data(), made});
               });
    };
    std::printf(
        "%5zu x %7zu points  %6.1f GS/s  cuFFT twice %6.1f  copy %6.1f  error %.1e  "
        "from host to host %5.2f GS/s, on the CPU %5.3f\n",
        rows,
        points,
        all / took / 1e6,
        all / alone / 1e6,
        all / copy / 1e6,
        error,
        rate_of(*of_host),
        rate_of(*on_cpu));
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    const int rounds = quick ? 15 : 50;
    const auto c = first_gpu();
    for (const std::size_t points : {1024, 4096, 16384, 65536, 1 << 20}) {
        row(c, points > 100000 ? 8 : 128, points, rounds);
    }
    return 0;
}
