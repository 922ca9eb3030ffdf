# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The Tab key after `fringe` in bash: commands, options and files. argcomplete does the work.
if command -v register-python-argcomplete > /dev/null; then
    eval "$(register-python-argcomplete fringe)"
fi
