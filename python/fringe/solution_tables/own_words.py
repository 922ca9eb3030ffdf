#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the formats of others have no place for, kept in them as JSON, which they pass over."""

import json

#: Name of the keyword, or dataset, that has it.
OWN = "GR_FRINGE"


def own_words(found, term):
    """JSON of what there is of `solutions` and one of their terms beside arrays."""
    return json.dumps({
        "kind": term.kind, "polarizations": found.polarizations, "reference": found.reference,
        "term_reference": term.reference, "flux": found.flux, "model": found.model,
        "made": found.made, "why": list(term.why), "positions": found.positions is not None})


def read_own_words(text):
    """A dictionary of them; empty where a file is of another program."""
    own = json.loads(text) if text else {}
    own["flux"] = {name: tuple(flux) for name, flux in own.get("flux", {}).items()}
    return own
