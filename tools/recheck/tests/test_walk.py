"""Small honest files hold, and every change that makes them claim more is refused."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import pytest
import writer
from conftest import DOT, SMOOTH
from honest import Maker

import recheck
from recheck.file import FIRST_LINE

LCB = [(kernel, (reason, (1.7,) if reason > 3 else ())) for kernel in SMOOTH + DOT for reason in (2, 3, 6, 7)]
LCB.append(("rbf", (1, (0.4, 1.3))))
EI = [(kernel, (reason, (1.1,) if reason > 3 else ())) for kernel in ("rbf", "matern12") for reason in range(2, 8)]
EI += [("polynomial", (2, ())), ("sum", (6, (1.0,))), ("rbf", (1, (0.4, 1.3)))]
WITH_BEST = {"best": -0.5}
BOX = ((-1.0, 1.0), (-1.0, 1.0))


@pytest.mark.parametrize(("kernel", "kind"), LCB)
def test_an_lcb_proof_holds_and_a_raised_bound_is_refused(kernel: str, kind: tuple) -> None:
    bound, file = Maker(kernel, kind).split_once()
    assert recheck.check(file).boxes == 3
    raised = writer.with_head(file, lambda head: head["claim"].update(lower_bound=bound + 1e-6))
    with pytest.raises(recheck.Refused, match="below the claim"):
        recheck.check(raised)


@pytest.mark.parametrize("acquisition", ["ei", "log_ei", "pi"])
@pytest.mark.parametrize(("kernel", "kind"), EI)
def test_an_improvement_proof_holds_and_a_raised_bound_is_refused(acquisition: str, kernel: str, kind: tuple) -> None:
    maker = Maker(kernel, kind, acquisition=acquisition, **WITH_BEST)
    bound, file = maker.split_once()
    assert recheck.check(file).boxes == 3
    if acquisition != "pi" or bound > -1 + 1e-6:
        raised = writer.with_head(file, lambda head: head["claim"].update(lower_bound=bound + 1e-5))
        with pytest.raises(recheck.Refused, match="below the claim"):
            recheck.check(raised)


@pytest.fixture
def maker() -> Maker:
    return Maker("matern32", (2, ()))


def closed_with(maker: Maker, **parts: Any) -> bytes:
    """A file with one closed box, with parts of its evidence replaced."""
    known: dict[str, Any] = {
        "parameters": writer.multiplier(), "shift": maker.shift(BOX), "point": [0.0, 0.0], "rows": []
    }
    return maker.file(-50.0, writer.node(writer.closed(writer.evidence(**(known | parts)))))


def test_a_generous_claim_holds(maker: Maker) -> None:
    assert recheck.check(closed_with(maker)).boxes == 1


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), -1e308])
def test_a_bad_shift_is_refused(maker: Maker, bad: float) -> None:
    with pytest.raises(recheck.Refused):
        recheck.check(closed_with(maker, shift=[bad, 1.0]))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e308])
def test_a_bad_point_is_refused(maker: Maker, bad: float) -> None:
    with pytest.raises(recheck.Refused):
        recheck.check(closed_with(maker, point=[bad, 1.0]))


def test_subnormal_suggestions_do_no_harm(maker: Maker) -> None:
    assert recheck.check(closed_with(maker, point=[5e-324, -5e-324])).boxes == 1


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e308])
def test_a_bad_multiplier_is_refused(maker: Maker, bad: float) -> None:
    maker.multiplier[0] = bad
    nodes = writer.node(writer.closed(writer.evidence(writer.multiplier(), [1e6, 1e6], [0.0, 0.0])))
    head = maker.head(-50.0)
    head["pieces"][0]["weights"][0] = 0.0
    with pytest.raises(recheck.Refused):
        recheck.check(writer.proof(head, [[bad] * 7], nodes))


@pytest.mark.parametrize("w", [0.0, -1.0, float("nan"), float("inf"), 1e308, 5e-324])
def test_a_bad_weight_of_a_moving_multiplier_is_refused(maker: Maker, w: float) -> None:
    with pytest.raises(recheck.Refused):
        recheck.check(closed_with(maker, parameters=writer.moving(w)))


def test_reasons_that_do_not_apply_are_refused(maker: Maker) -> None:
    for parameters in (writer.expansion(0.4, 1.3), writer.tilted(1.0), writer.multiplier(1)):
        with pytest.raises(recheck.Refused):
            recheck.check(closed_with(maker, parameters=parameters))


def test_a_box_is_narrowed_only_within_itself_and_with_proof(maker: Maker) -> None:
    proof = maker.evidence(BOX)
    for low, high, bound, holds in [(-0.5, 0.5, -50.0, True), (-0.5, 0.5, 0.0, False), (-2.0, 0.5, -50.0, False),
                                    (0.5, -0.5, -50.0, False), (float("nan"), 0.5, -50.0, False)]:
        nodes = writer.node(writer.closed(maker.evidence(BOX)), writer.narrowed(proof, [low, -1.0], [high, 1.0]))
        file = maker.file(bound, nodes)
        if holds:
            recheck.check(file)
        else:
            with pytest.raises(recheck.Refused, match="narrowed without proof|does not contain"):
                recheck.check(file)


def test_a_box_inherits_only_a_bound_that_reaches_the_claim(maker: Maker) -> None:
    floor = maker.evidence(BOX)
    nodes = writer.node(writer.split(floor, 0, 0.0)) + 2 * writer.node(writer.INHERITED)
    assert recheck.check(maker.file(-50.0, nodes)).boxes == 3
    with pytest.raises(recheck.Refused, match="inherits"):
        recheck.check(maker.file(10.0, nodes))
    with pytest.raises(recheck.Refused, match="inherits"):
        recheck.check(maker.file(-50.0, writer.node(writer.INHERITED)))


def whole_maker() -> Maker:
    row = {"linear": [[0, 1.0], [1, 1.0]], "lower": 3.5}
    return Maker("matern32", (2, ()), integers=[0], bounds=[[-3, 3], [-1.0, 1.0]], constraints=[row])


@pytest.mark.parametrize(("low", "holds"), [(3.0, True), (2.5, False), (2.0000001, False), (4.0, False), (-3.0, True)])
def test_a_whole_side_is_cut_only_at_whole_numbers_and_with_proof(low: float, holds: bool) -> None:
    maker = whole_maker()
    box = maker.model.problem.bounds
    nodes = writer.node(writer.closed(maker.evidence(box)), writer.cuts((0, 0, low, 3.0)))
    file = maker.file(-100.0, nodes)
    if holds:
        recheck.check(file)
    else:
        with pytest.raises(recheck.Refused, match="whole|contain|without proof"):
            recheck.check(file)


@pytest.mark.parametrize(("position", "holds"), [(0.0, True), (0.5, False), (3.0, False), (-4.0, False)])
def test_a_whole_side_is_split_only_at_whole_numbers_below_its_end(position: float, holds: bool) -> None:
    maker = whole_maker()
    box = maker.model.problem.bounds
    nodes = writer.node(writer.split(maker.evidence(box), 0, position)) + 2 * writer.node(writer.INHERITED)
    file = maker.file(-100.0, nodes)
    if holds:
        assert recheck.check(file).boxes == 3
    else:
        with pytest.raises(recheck.Refused, match="split"):
            recheck.check(file)


def test_a_whole_side_is_narrowed_only_to_whole_ends() -> None:
    maker = whole_maker()
    box = maker.model.problem.bounds
    for low, holds in ((-2.0, True), (-2.5, False)):
        step = writer.narrowed(maker.evidence(box), [low, -1.0], [3.0, 1.0])
        file = maker.file(-100.0, writer.node(writer.closed(maker.evidence(box)), step))
        if holds:
            recheck.check(file)
        else:
            with pytest.raises(recheck.Refused, match="whole"):
                recheck.check(file)


def listed_maker() -> Maker:
    row = {"linear": [[0, 1.0], [1, 1.0]], "lower": 3.5}
    values = [[0, [-3.0, -0.5, 2.25, 3.0]]]
    return Maker("matern32", (2, ()), values=values, bounds=[[-3.0, 3.0], [-1.0, 1.0]], constraints=[row])


@pytest.mark.parametrize(("low", "holds"), [(3.0, True), (2.25, True), (2.5, False), (-0.6, False), (-3.0, True)])
def test_a_listed_side_is_cut_only_at_its_numbers_and_with_proof(low: float, holds: bool) -> None:
    maker = listed_maker()
    nodes = writer.node(writer.closed(maker.evidence(maker.model.problem.bounds)), writer.cuts((0, 0, low, 3.0)))
    file = maker.file(-100.0, nodes)
    if holds:
        recheck.check(file)
    else:
        with pytest.raises(recheck.Refused, match="listed"):
            recheck.check(file)


def test_a_listed_number_that_a_row_allows_is_not_cut_off() -> None:
    # 2.25 + 1 < 3.5, so 2.25 goes; with 2.75 in its place it stays.
    maker = listed_maker()
    nodes = writer.node(writer.closed(maker.evidence(maker.model.problem.bounds)), writer.cuts((0, 0, 3.0, 3.0)))
    file = maker.file(-100.0, nodes)
    assert recheck.check(file).boxes == 1
    other = writer.with_head(file, lambda head: head["problem"].update(values=[[0, [-3.0, -0.5, 2.75, 3.0]]]))
    with pytest.raises(recheck.Refused, match="without proof"):
        recheck.check(other)


@pytest.mark.parametrize(("position", "holds"), [(-0.5, True), (0.5, False), (3.0, False), (-4.0, False)])
def test_a_listed_side_is_split_only_at_its_numbers_below_its_end(position: float, holds: bool) -> None:
    maker = listed_maker()
    split = writer.split(maker.evidence(maker.model.problem.bounds), 0, position)
    file = maker.file(-100.0, writer.node(split) + 2 * writer.node(writer.INHERITED))
    if holds:
        assert recheck.check(file).boxes == 3
    else:
        with pytest.raises(recheck.Refused, match="split"):
            recheck.check(file)


@pytest.mark.parametrize(
    "values",
    [
        [[0, [-3.0, 2.25]]], [[0, [-3.0, 3.0, 2.25]]], [[0, []]], [[2, [-3.0, 3.0]]], [[0, [-3.0, -3.0, 3.0]]],
        [[0, [-3.0, 3.0]], [0, [-3.0, 3.0]]],
    ],
)
def test_a_list_rises_from_one_end_of_its_side_to_the_other(values: list) -> None:
    maker = listed_maker()
    file = maker.file(-100.0, writer.node(writer.closed(maker.evidence(maker.model.problem.bounds))))
    assert recheck.check(file).boxes == 1
    with pytest.raises(recheck.Refused):
        recheck.check(writer.with_head(file, lambda head: head["problem"].update(values=values)))


def test_a_region_is_empty_only_if_a_row_cannot_hold() -> None:
    row = {"linear": [[0, 1.0], [1, 1.0]], "lower": 3.5}
    maker = Maker("matern32", (2, ()), constraints=[row])
    assert recheck.check(maker.file(None, writer.node(writer.empty(0)))).boxes == 1
    for nodes in (writer.node(writer.empty(1)), writer.node(writer.closed(maker.evidence(BOX)))):
        with pytest.raises(recheck.Refused):
            recheck.check(maker.file(None, nodes))
    row["lower"] = 2.0
    with pytest.raises(recheck.Refused, match="empty"):
        recheck.check(maker.file(None, writer.node(writer.empty(0))))


@pytest.mark.parametrize("kernel", ["piecewise", "polyline", "polylines"])
def test_an_excluded_variance_gives_one_piece_and_a_clamped_variance_two(kernel: str) -> None:
    maker = Maker(kernel, (2, ()), negative_variance="excluded")
    bound, file = maker.split_once()
    proven = writer.with_head(file, lambda head: head.update(least_eigenvalue=0.5))
    assert recheck.check(proven).boxes == 3
    clamped = writer.with_head(proven, lambda head: head["problem"].update(negative_variance="clamped"))
    with pytest.raises(recheck.Refused, match="two pieces"):
        recheck.check(clamped)
    raised = writer.with_head(proven, lambda head: head["claim"].update(lower_bound=bound + 1e-6))
    with pytest.raises(recheck.Refused, match="below the claim"):
        recheck.check(raised)


def test_a_damaged_file_cannot_be_read(maker: Maker) -> None:
    file = closed_with(maker)
    inflated = writer.unpack(file)
    stored = FIRST_LINE + zlib.compress(inflated + b"\0" * 8)
    bomb = FIRST_LINE + zlib.compress(b"\0" * 80_000_000)
    damaged = [file + b"\0", file[:-1], file[1:], stored, bomb, b"", writer.pack(inflated + b"\0"),
               writer.pack(inflated[:-1]), writer.pack(struct.pack("<I", 2**32 - 1) + inflated)]
    for data in damaged:
        with pytest.raises(recheck.Unreadable):
            recheck.check(data)


def test_knots_of_an_inner_product_are_checked() -> None:
    maker = Maker("polyline", (2, ()), negative_variance="excluded")
    file = writer.with_head(maker.split_once()[1], lambda head: head.update(least_eigenvalue=0.5))

    def with_term(**fields: Any) -> bytes:
        return writer.with_head(file, lambda head: head["problem"]["terms"][0].update(fields))

    assert recheck.check(with_term(argument="inner_product")).boxes == 3
    for fields in (
        {"argument": "distance"},
        {"argument": "product"},
        {"knots": [[0.0, 1.0]]},
        {"knots": [[1.0, 1.0], [1.0, 2.0]]},
        {"knots": [[1.0, 1.0], [0.0, 2.0]]},
        {"knots": [[0.0, 1.0], [1.0, 1e101]]},
        {"knots": [[0.0, -9.0], [1.0, -9.0]]},
    ):
        with pytest.raises(recheck.Refused):
            recheck.check(with_term(**fields))


def test_a_head_with_a_mistake_is_refused(maker: Maker) -> None:
    file = closed_with(maker)
    changes: list[Any] = [
        lambda head: head.update(more=1),
        lambda head: head["problem"].update(best=1.0),
        lambda head: head["problem"].update(negative_variance="clamped"),
        lambda head: head["problem"].update(noise=0.0),
        lambda head: head["problem"].update(jitter=None),
        lambda head: head.pop("least_eigenvalue"),
        lambda head: head["problem"].update(noise=float("nan")),
        lambda head: head["problem"]["terms"].append(head["problem"]["terms"][0]),
        lambda head: head["pieces"].append(head["pieces"][0]),
        lambda head: head["pieces"][0].update(mean=0.2),
        lambda head: head["claim"].update(value=1.0),
        lambda head: head["claim"].update(point=[0.0, 0.0], value=1.0),
        lambda head: head["claim"].update(point=[0.0, 2.0], value=-1.0),
        lambda head: head["claim"].update(lower_bound=None),
    ]
    for change in changes:
        with pytest.raises(recheck.Refused):
            recheck.check(writer.with_head(file, change))


def test_a_repeated_field_cannot_be_read(maker: Maker) -> None:
    head, rest = writer.split_body(writer.unpack(closed_with(maker)))
    text = json.dumps(head)[:-1] + ', "pieces": []}'
    with pytest.raises(recheck.Unreadable, match="repeated"):
        recheck.check(writer.pack(struct.pack("<I", len(text)) + text.encode() + rest))
