#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the command `fringe` says about words that it does not know."""
import argparse

BAD_INPUT = 2  # of the user's or the recording's making


class one_sentence_parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage that --help shows."""

    _narrow = True

    def _get_formatter(self):
        """argparse makes one for each argument that is added, and asks for the terminal's width
        each time; only what is shown needs it."""
        return self.formatter_class(prog=self.prog, **({"width": 80} if self._narrow else {}))

    def format_help(self):
        self._narrow = False
        return super().format_help()

    def format_usage(self):
        self._narrow = False
        return super().format_usage()

    def error(self, message):
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")

    def _check_value(self, action, value):
        """argparse's own, which lists all choices, and does not say which of them is nearest."""
        if action.choices is not None and value not in action.choices:
            import difflib  # pylint: disable=import-outside-toplevel
            near = difflib.get_close_matches(str(value), map(str, action.choices), 1)
            choices = ", ".join(map(str, action.choices))
            raise argparse.ArgumentError(action, f"'{value}': must be one of {choices}" +
                                         (f"; the nearest is {near[0]}" if near else ""))

    def parse_args(self, args=None, namespace=None):
        """As argparse does, and names what is nearest to an option that does not exist."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.of_command(options).refuse(unknown)
        return options

    def refuse(self, words):
        """Ends the program because of words that are left over."""
        name = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
        if name is None:
            self.error(f"{words[0]}: there is no place for this word")
        known = [option for action in self._actions for option in action.option_strings]
        import difflib  # pylint: disable=import-outside-toplevel
        near = difflib.get_close_matches(name, known, 1)
        self.error(f"{name}: there is no such option" +
                   (f"; the nearest is {near[0]}" if near else ""))

    def of_command(self, options):
        """The parser of the subcommand that was given, which has the options."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # pylint: disable=protected-access
                return action.choices.get(getattr(options, action.dest, None), self)
        return self


class _help_all(argparse.Action):
    """Shows the options that show_often() leaves out of --help, too."""

    def __init__(self, option_strings, dest, **more):
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, **more)

    def __call__(self, parser, namespace, values, option_string=None):
        show_all(parser)
        parser.print_help()
        parser.exit()


def show_often(parser, names, epilog):
    """--help shows these options and this epilog, and --help-all what it would show without.

    Args:
      parser: a one_sentence_parser that has all its options
      names: of the options that most runs need, "--obs" say
    """
    parser.add_argument("--help-all", action=_help_all, help="show all options")
    parser.rare = parser.epilog, {}
    parser.epilog = epilog
    for action in parser._actions:
        often = {"--help", "--help-all", *names}
        if action.option_strings and not often & set(action.option_strings):
            parser.rare[1][action] = action.help
            action.help = argparse.SUPPRESS


def show_all(parser):
    """Undoes what show_often() has hidden, if it was called."""
    epilog, texts = getattr(parser, "rare", (parser.epilog, {}))
    parser.epilog = epilog
    for action, text in texts.items():
        action.help = text


def complete(parser):
    """Answers the shell when it asks how a word may go on (the Tab key), and ends the program
    then. This needs the package argcomplete."""
    try:
        import argcomplete  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    argcomplete.autocomplete(parser)
