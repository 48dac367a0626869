"""The reasons why a file is not accepted."""


class Refused(Exception):
    """The file was read, but a claim in it does not hold."""


class Unreadable(Refused):
    """The file is not a proof, is damaged, or has a format that the document does not know."""


class Void(Refused):
    """A piece of evidence proves nothing."""


def demand(condition: bool, reason: str) -> None:
    """Refuses the file unless the condition is certain."""
    if not condition:
        raise Refused(reason)
