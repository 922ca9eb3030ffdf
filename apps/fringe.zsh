#compdef fringe
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The Tab key after `fringe` in zsh: commands, options and files. argcomplete does the work: its
# version 2 as a completion of bash, later ones as one of zsh.
(( $+commands[register-python-argcomplete] )) || return 1
autoload -Uz bashcompinit && bashcompinit
eval "$(register-python-argcomplete fringe)"
# That has said what is to be called from now on; this first time it is called here.
${(z)_comps[fringe]} "$@"
