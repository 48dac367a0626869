"""Ask and tell."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Union, overload

from . import _fathom
from ._fathom import Trial, Verification
from .errors import InputError, StoreError
from .space import Space, settings

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

Value = Union[int, float, str]


class Recommended(NamedTuple):
    """The best trial by the model."""

    trial: Trial
    """The trial."""
    median: float
    """The median of its value without the noise."""
    low: float
    """The lower end of the interval that holds this value with a probability of 68 %."""
    high: float
    """The upper end of that interval."""


class Change(NamedTuple):
    """An entry of a study's history."""

    number: int
    """The entry's number in the study, from 1."""
    trial: int
    """The number of the trial."""
    made_at: datetime
    """When it was made, by the store's clock."""
    by: str | None
    """Who made it, if they said so."""
    what: str
    """What was changed, in words."""


class TableImport(NamedTuple):
    """What became of a table."""

    added: int
    """How many experiments were added."""
    known: int
    """How many were there already."""
    manner: str
    """How the file is written."""
    columns: list[tuple[str, str]]
    """What each header stands for."""
    left_out: list[str]
    """The rows that are left out, and why."""
    remarks: list[str]
    """Remarks."""


class Study:
    """A study: what is varied, how the next point is chosen, and every trial so far.

    `ask` hands out a trial, and `tell` takes its value.

    Args:
        space: the parameters by name; a pair (low, high) is a `Float`.
        name: the study's name in the store.
        constraints: what every point must keep, as text over the names: `["x1 + 3*x2 <= 18"]`.
        direction: `"minimize"` or `"maximize"`.
        seed: the same seed and the same trials give the same points.
        store: `sqlite://FILE` or `postgres://…`. There the study is created or, if it is there already, taken up where it was left.
            Without a store the study ends with the process.
        deterministic: whether the same point always has the same value.
        best_possible: a value that is known to be the best there can be.
        **strategy: the keys of `[strategy]` in a study file (docs/guide/studies.md): `kernel`, `noise`, `initial`, `acquisition`, `beta`,
            `optimizer`, `gap`, `patience` and `time_limit` (in seconds), `node_limit`, `threads`, `groups`, ….
    """

    def __init__(
        self,
        space: Space,
        *,
        name: str = "study",
        constraints: Iterable[str] = (),
        direction: str = "minimize",
        seed: int = 0,
        store: str | None = None,
        deterministic: bool = False,
        best_possible: float | None = None,
        **strategy: Any,
    ) -> None:
        strategy = {"seed": seed, **strategy}
        keys = settings(space, name=name, constraints=constraints, direction=direction, strategy=strategy)
        keys["deterministic"] = deterministic
        if best_possible is not None:
            keys["best_possible"] = float(best_possible)
        self._handle = _fathom.Handle.create(keys, store)

    @classmethod
    def from_toml(cls, path_or_text: str | os.PathLike[str], store: str | None = None) -> Study:
        """The study of a study file, as the command line opens it.

        `path_or_text` is the path of the file, or its text; a study from a text is kept in memory unless `store` says where.
        """
        if isinstance(path_or_text, str) and "\n" in path_or_text:
            return cls._of(_fathom.Handle.resume(path_or_text, "study", store))
        path = Path(path_or_text)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise StoreError(f"could not read {path} (`fathom new` writes a study file): {error.strerror}") from error
        return cls._of(_fathom.Handle.resume(text, path.stem, store, str(path)))

    @classmethod
    def open(cls, store: str, name: str) -> Study:
        """The study called `name` that is in the `store` already."""
        return cls._of(_fathom.Handle.open(store, name))

    @classmethod
    def _of(cls, handle: _fathom.Handle) -> Study:
        study = cls.__new__(cls)
        study._handle = handle
        return study

    @property
    def name(self) -> str:
        """The study's name in the store."""
        return self._handle.name

    @property
    def store(self) -> str:
        """Where the study is kept, without passwords; `memory:` ends with the process."""
        return self._handle.url

    @property
    def direction(self) -> str:
        """`minimize` or `maximize`."""
        return "maximize" if self._handle.maximised else "minimize"

    @property
    def toml(self) -> str:
        """The study file of the study; the command line reads it."""
        return self._handle.text

    @overload
    def ask(self, n: None = None, *, prove: bool = False) -> Trial: ...
    @overload
    def ask(self, n: int, *, prove: bool = False) -> list[Trial]: ...
    def ask(self, n: int | None = None, *, prove: bool = False) -> Trial | list[Trial]:
        """A trial to evaluate, or `n` of them; each waits until it is told.

        A trial is handed out after `patience`, proven by then or not (`trial.assurance`), and `prove()` goes on with its proof. With
        `prove=True` the call waits for the proof, up to `time_limit` a trial.
        """
        trials = self._handle.ask(1 if n is None else n, prove)
        return trials[0] if n is None else trials

    @overload
    def prove(self, trial: None = None, *, time_limit: float | None = None) -> list[Trial]: ...
    @overload
    def prove(self, trial: Trial | int, *, time_limit: float | None = None) -> Trial: ...
    def prove(self, trial: Trial | int | None = None, *, time_limit: float | None = None) -> Trial | list[Trial]:
        """Goes on with the proof of a trial that was handed out before it was proven, or with every open one, the newest first.

        Returns the `trial` as it is then: its `assurance` is `proven`, `cut_short` (`gap` says by how much another point may be better at
        most) or `better_found` (`better` is a better point). Each proof may take `time_limit` seconds, by default those of the study.
        What is proven is stored with the trial, whether the trial is told or not; Ctrl-C keeps what is proven by then. `ProofError`
        says why there is nothing to prove.
        """
        if trial is not None:
            return self._handle.prove(_id(trial), time_limit)
        return [self._handle.prove(id, time_limit) for id in self._handle.open_proofs()]

    def tell(
        self,
        trial: Trial | int,
        value: float,
        *,
        at: Mapping[str, Value] | None = None,
        note: str | None = None,
        by: str | None = None,
    ) -> None:
        """Tells a `trial` (what `ask` gave, or its number) its `value`. Telling the same again changes nothing.

        `at` has the settings that were really used, as far as they are not those that were asked for; `note` is something to
        remember, and `by` says who tells it (by default the user). While the store is busy or away, the call tries for 30 s, and keeps the value in a file beside the study; the next who
        opens the study tells it. The `StoreError` that is raised then has `trial` and `value`.
        """
        id = _id(trial)
        self._handle.tell(id, value)
        if at is not None or note is not None:
            self.edit(id, at=at, note=note, by=by)

    def tell_failed(self, trial: Trial | int, reason: str = "") -> None:
        """Tells a `trial` that it has no value, with the `reason`. It then counts with the worst value so far."""
        self._handle.tell_failed(_id(trial), reason)

    def edit(
        self,
        trial: Trial | int,
        value: float | None = None,
        *,
        failed: str | None = None,
        at: Mapping[str, Value] | None = None,
        note: str | None = None,
        by: str | None = None,
    ) -> Trial:
        """Corrects a trial.

        Nothing is overwritten: every correction is an entry of the study's history (`changes`) that `undo` takes back, and proofs
        of earlier suggestions are checked against what was known then.

        Args:
            trial: what `ask` gave, or its number.
            value: what it should have been told.
            failed: that it failed after all, and why.
            at: the settings that were really used, as far as they are not those that were asked for.
            note: something to remember.
            by: who says so; by default the user.
        """
        id = _id(trial)
        if value is not None and failed is not None:
            raise InputError("a trial has a value or has failed, not both")
        if value is None and failed is None and at is None and note is None:
            raise InputError("nothing is changed: give value, failed, at or note")
        if value is not None or failed is not None:
            self._handle.correct(id, value, failed or "", by)
        if at is not None:
            self._handle.settle(id, dict(at), by)
        if note is not None:
            self._handle.note(id, note, by)
        return self.find(id)

    def cancel(self, trial: Trial | int, reason: str = "", *, by: str | None = None) -> Trial:
        """Says that nobody will evaluate a pending `trial`, with the `reason`; `by` says who says so, by default the user.

        That is no failure: nothing is learned from it.
        """
        return self._handle.cancel(_id(trial), reason, by)

    def withdraw(self, trial: Trial | int, reason: str = "", *, by: str | None = None) -> Trial:
        """Says that what a `trial` was told shall not count, with the `reason`; `by` says who says so, by default the user.

        `edit` with a new value lets it count again.
        """
        return self._handle.withdraw(_id(trial), reason, by)

    def undo(self, entry: int | None = None, *, by: str | None = None) -> Trial:
        """Takes back an `entry` of the history, by default the last one that counts. To undo an undoing does it again.

        `by` says who does it, by default the user.
        """
        return self._handle.undo(entry, by)

    @property
    def changes(self) -> list[Change]:
        """What was changed about trials, in order."""
        return [
            Change(number, trial, datetime.fromtimestamp(time, timezone.utc), by, what)
            for number, trial, time, by, what in self._handle.changes()
        ]

    def add(self, params: Mapping[str, Value], value: float | None) -> Trial:
        """Adds an experiment of the past, with all its `params`; a `value` of `None` says that it failed."""
        return self._handle.add(dict(params), value)

    def add_pending(self, params: Mapping[str, Value]) -> Trial:
        """Adds a trial with these `params` that somebody is evaluating already; later suggestions keep away from it."""
        return self._handle.add_pending(dict(params))

    def add_table(
        self,
        path: str | os.PathLike[str],
        *,
        value: str | None = None,
        columns: Mapping[str, str] | None = None,
        ignore: Iterable[str] = (),
        separator: str | None = None,
        decimal: str | None = None,
        sheet: str | None = None,
        dry_run: bool = False,
    ) -> TableImport:
        """Adds the experiments of a spreadsheet: CSV, XLSX or ODS (docs/guide/studies.md, Tables).

        What separates columns, the decimal sign and the row of headers are found out, and headers may have units. A row without a value is
        left out unless its `state` is `failed` or `pending`. Rows that are there already are not added again.

        Args:
            path: the file.
            value: the header of the values, if it is not `value`.
            columns: the headers of parameters that are called otherwise there.
            ignore: headers that are passed over.
            separator: `,`, `;` or a tab, if the guess is wrong.
            decimal: `point` or `comma`, if the guess is wrong.
            sheet: the sheet of a workbook, if there are several.
            dry_run: whether nothing is added; the answer is the same.

        >>> import fathom, pathlib, tempfile
        >>> study = fathom.Study({"temperature": (20.0, 120.0)})
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "past.csv"
        >>> _ = path.write_text("Temperature (°C);Yield (%)\\n46,2;17,5\\n80;n.d.\\n", encoding="utf-8")
        >>> done = study.add_table(path, value="Yield")
        >>> done.added, done.left_out
        (1, ['line 3: no value'])
        >>> study.trials[0].params
        {'temperature': 46.2}
        """
        pairs = list((columns or {}).items())
        found = self._handle.add_table(
            os.fspath(path), value, pairs, list(ignore), separator, decimal, sheet, dry_run
        )
        return TableImport(*found)

    @property
    def trials(self) -> list[Trial]:
        """All trials, by number."""
        return self._handle.trials()

    @property
    def best(self) -> Trial | None:
        """The complete trial with the best value; the earliest of equals."""
        return self._handle.best()

    @property
    def recommended(self) -> Recommended | None:
        """The best trial by the model, for noisy values: the least of these, that of `best`, is partly luck.

        This takes a fit. It is `None` if `best` says it all: if values are exact or their noise is negligible, and before there
        are values enough for a model.
        """
        found = self._handle.recommended()
        return None if found is None else Recommended(*found)

    @property
    def remaining_gain(self) -> float | None:
        """What can still be gained at most, under a cautious model that is widened by its errors on the study's own trials.

        This takes a fit and a minimisation. It is `None` as long as nothing is said: before there are max(20, 3 D + 3) values, and
        while more than half of the range seen so far is left open.
        """
        bound = self._handle.bound()
        return None if bound is None else bound[2]

    def find(self, trial: Trial | int) -> Trial:
        """A `trial` by its number, as it is in the store now."""
        return self._handle.find(_id(trial))

    def proof(self, trial: Trial | int) -> bytes:
        """The proof behind a `trial`: the bytes of a file for `fathom.verify` and for the command line.

        The proof is made again, by the search that chose the trial, from what was known then; what the trial rests on is in the
        store. `ProofError` says why there is no proof (no model chose the initial design, local optimisers prove nothing), or
        what in the study is not as it was.
        """
        return self.find(trial).proof()

    def verify(self, trial: Trial | int) -> Verification:
        """Makes the proof behind a `trial` again and checks it with separate code in interval arithmetic.

        `ProofError` says why there is no proof, what in the study is not as it was, or why the proof is refused.
        """
        return self._handle.verify(_id(trial))

    def predict(self, points: Iterable[Mapping[str, Value]]) -> list[tuple[float, float]]:
        """What the model expects of each of the `points` after the finished trials: posterior median and deviation of the value."""
        return self._handle.predict([dict(point) for point in points])

    @property
    def history(self) -> list[dict[str, Any]]:
        """A record per trial: id, state, origin, value, best so far, what could still be gained, what is proven, then the
        parameters."""
        return [
            {
                "id": trial.id,
                "state": trial.state,
                "origin": trial.origin,
                "value": trial.value,
                "best": best,
                "remaining_gain": trial.remaining_gain,
                "assurance": trial.assurance,
                **trial.params,
            }
            for trial, best in zip(self.trials, self._handle.best_so_far())
        ]

    def to_dataframe(self) -> pandas.DataFrame:
        """`history` as a table of pandas."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_dataframe needs pandas: pip install pandas") from error
        return pandas.DataFrame(self.history)

    def draw(self, path: str | os.PathLike[str], picture: str = "overview", parameters: Sequence[str] = ()) -> None:
        """Draws a picture of the study into the file `path`, which ends in .svg, .png or .pdf; this needs no other package.

        `picture` is one of `overview` (convergence beside the model), `convergence`, `gap`, `posterior`, `acquisition`, `slices`,
        `importance`, `leave-one-out` and `parallel`: the pictures of `fathom plot`. `parameters` names those to draw along; without
        names they are those that matter most. `InputError` says what is wrong with a name, or why there is nothing to draw yet.
        """
        self._handle.draw(path, picture, list(parameters))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the study on one page of HTML: its state, pictures, proofs, what was learned, and all trials.

        The page is one file, `path`, that ends in .html and opens without a network.
        """
        self._handle.write_report(path)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws values, the best so far and what may still be reached, with matplotlib, into the axes `ax` or new ones."""
        from .plot import convergence

        return convergence(self, ax)

    def __repr__(self) -> str:
        return f"Study(name={self.name!r}, store={self.store!r}, trials={len(self.trials)})"


def _id(trial: Trial | int) -> int:
    if isinstance(trial, Trial):
        return trial.id
    try:
        return int(trial)
    except (TypeError, ValueError):
        raise InputError(f"{trial!r} is no trial: use what ask() gave, or its id") from None
