"""Shows the examples of docstrings as code: outside of a section of their own they would be taken for quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

# From a line with a prompt to the next empty line.
EXAMPLE = re.compile(r"^( *)>>> .*(?:\n(?! *$).*)*", re.MULTILINE)


class Examples(griffe.Extension):
    """Put each run of prompts and answers between fences."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for every function, class and module that is read."""
        if obj.docstring is not None:
            text = re.sub(r" *# doctest: \+\w+", "", obj.docstring.value)
            obj.docstring.value = EXAMPLE.sub(lambda found: fenced(found[0]), text)


def fenced(example: str) -> str:
    """The example between fences.

    >>> print(fenced(">>> 1 + 1").replace("`", "'"))
    '''pycon
    >>> 1 + 1
    '''
    """
    return f"```pycon\n{example}\n```"
