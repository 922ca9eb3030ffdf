/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_BEAM_FORMING_H
#define INCLUDED_FRINGE_BLOCKS_BEAM_FORMING_H

#include "blocks/ports/block_streams.h"
#include "blocks/ports/stream_description.h"
#include "blocks/ports/stream_tags.h"
#include "kernels/beamformer/beamformer.h"
#include "stages/beam_directions.h"
#include "stages/beam_losses.h"
#include "stages/beam_plan.h"
#include "stages/sum_plan.h"
#include <gnuradio/fringe/beamformer.h>

namespace gr::fringe {

//! What the parameters of a beamformer come to.
struct beam_setup {
    fringe::observation observation;
    beam_spectra of;
    std::vector<std::string> directions, nulls;
    std::vector<float> amplitudes;
    kernels::beamformer_params kernel;
    kernels::compute_target backend;
};

//! The spectra of a beamformer: they are read item by item, and come with the weights that
//! count for them.
class beam_forming
{
public:
    //! Throws std::invalid_argument naming the parameter.
    explicit beam_forming(const beam_setup& setup);

    const kernels::beamformer_params& params() const { return d_p; }
    kernels::beamformer& kernel() { return *d_kernel; }
    //! The layout of spectra that is fastest.
    kernels::spectra_layout wanted_layout() const;
    //! Spectra have this layout from now on. The sums under way are lost.
    void set_layout(kernels::spectra_layout layout);
    const beam_plan& plan() const { return d_plan; }
    beam_losses& losses() { return d_losses; }
    //! Where the means of powers end, and which spectra are next.
    sum_plan& spectra() { return d_spectra; }
    double frequency() const { return d_frequency; }

    void point(const std::vector<std::string>& directions,
               const std::vector<std::string>& nulls,
               const std::vector<float>& amplitudes,
               const epoch& from);

    //! New corrections, see the message port.
    void correct(std::vector<std::complex<float>> factors, const epoch& from)
    {
        d_plan.correct(std::move(factors), from);
    }

    //! An item begins; true where its spectra do not follow on those before, or have another
    //! frequency or other gains.
    bool open_item(const item_tags& tags, const block_streams& streams);
    //! Calls use(first, count) for spectra `from` ... `from` + `count` - 1 of the item, some
    //! at a time, which have the same weights: the kernel and the losses have these.
    //! `number`: of the first of them in the stream.
    template <class Use>
    void with_weights(std::uint64_t number,
                      std::uint64_t from,
                      std::uint64_t count,
                      const Use& use)
    {
        for (std::uint64_t done = 0; done < count;) {
            const std::uint64_t some =
                d_plan.next(d_spectra.time(), number + done, count - done);
            if (d_plan.turned()) { // each beam loses as much as before
                d_kernel->steer(d_plan.steering());
            } else if (d_plan.changed()) {
                d_kernel->set_weights(d_plan.weights().data());
                d_losses.set_weights(d_plan.weights());
            }
            d_losses.add(from + done,
                         some,
                         d_invalid,
                         d_lost,
                         d_flagged,
                         d_blanked,
                         d_filter ? &*d_filter : nullptr);
            use(from + done, some);
            done += some;
        }
    }

private:
    const kernels::compute_target d_backend;
    kernels::beamformer_params d_p;
    const beam_directions d_directions;
    beam_plan d_plan;
    beam_losses d_losses;
    std::unique_ptr<kernels::beamformer> d_kernel;
    sum_plan d_spectra;
    double d_frequency;
    std::vector<float> d_gains;
    std::vector<invalid_run> d_invalid, d_blanked; // of the current item
    std::vector<lost_spectra> d_lost;
    std::vector<cell_run> d_flagged;
    std::optional<blanked_parts> d_filter; // that made the spectra
};

//! The message port `beams`, and the rest of the public block that both kinds share.
class beamformer_base : public beamformer
{
public:
    void point(const std::vector<std::string>& directions,
               const std::vector<std::string>& nulls,
               const std::vector<float>& amplitudes,
               const epoch& from) override
    {
        d_forming.point(directions, nulls, amplitudes, from);
    }
    void set_corrections(const std::vector<std::complex<float>>& corrections,
                         const epoch& from) override
    {
        d_forming.correct(corrections, from);
    }
    std::string polarizations() const override
    {
        return d_forming.plan().array().polarizations();
    }
    std::size_t beams() const override { return d_forming.params().beams; }
    std::size_t inputs() const override { return d_forming.params().inputs; }
    std::vector<std::complex<float>> weights(const epoch& at) const override
    {
        return d_forming.plan().weights_at(at);
    }
    std::string smearing(const epoch& at) const override
    {
        return d_forming.plan().smearing(at);
    }

protected:
    explicit beamformer_base(const beam_setup& setup);

    //! Logs what beams lose in wide arrays, once; the first item has been opened.
    void warn_of_smearing();

    beam_forming d_forming;

private:
    bool d_warned = false;
};

//! What the spectra are that beams are formed of.
stream_fields spectra_of_beamformer(const beam_setup& setup);
//! Bytes of an item of spectra that beams are formed of.
int bytes_of_beam_spectra(const kernels::beamformer_params& p);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_BEAM_FORMING_H */
