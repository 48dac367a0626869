"""Why a file is not accepted."""


class Refused(Exception):
    """The file was read, and something in it does not hold."""


class Unreadable(Refused):
    """The file is no proof, or is damaged, or speaks a format that the document does not know."""


class Void(Refused):
    """A piece of evidence proves nothing."""


def demand(condition: bool, reason: str) -> None:
    """Refuses unless the condition is certain."""
    if not condition:
        raise Refused(reason)
