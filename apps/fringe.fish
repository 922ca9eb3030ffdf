# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The Tab key after `fringe` in fish: commands, options and files. argcomplete does the work.
if command -q register-python-argcomplete
    register-python-argcomplete --shell fish fringe | source
else if command -q register-python-argcomplete3
    register-python-argcomplete3 --shell fish fringe | source
end
