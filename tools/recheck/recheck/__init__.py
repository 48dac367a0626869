"""A second checker of proof files, which was written from docs/reference/proof.md alone."""

from .check import Verdict, check
from .errors import Refused, Unreadable

__all__ = ["Refused", "Unreadable", "Verdict", "check"]
