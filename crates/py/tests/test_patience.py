"""The interpreter's lock is released during work, and Ctrl-C is answered."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import fathom


def hard_model(dim: int = 6, count: int = 120) -> fathom.GaussianProcess:
    """A model whose minimum takes minutes to prove to the last digit."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (count, dim))
    return fathom.GaussianProcess.from_parameters(X, rng.normal(size=count), lengthscales=0.4, noise_variance=1e-4)


@contextmanager
def ctrl_c(after: float) -> Iterator[None]:
    """Sends this process what Ctrl-C does; a shell that runs the tests in the background makes them ignore it."""
    before = signal.getsignal(signal.SIGINT)
    if before == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)


def counted(work: Callable[[], object]) -> tuple[int, float]:
    """How often another thread got its turn while `work` was done, and how long that took."""
    turns, over = 0, threading.Event()

    def count() -> None:
        nonlocal turns
        while not over.is_set():
            turns += 1
            time.sleep(0.005)

    thread = threading.Thread(target=count)
    thread.start()
    started = time.monotonic()
    work()
    elapsed = time.monotonic() - started
    over.set()
    thread.join()
    return turns, elapsed


def test_other_threads_go_on_during_a_search() -> None:
    gp = hard_model()
    turns, elapsed = counted(lambda: fathom.minimize_acquisition(gp, [(0, 1)] * 6, gap=0, time_limit=1.5))
    assert elapsed > 1 and turns > 20


def test_other_threads_go_on_during_an_ask() -> None:
    study = fathom.Study({f"x{j}": (0.0, 1.0) for j in range(6)}, initial=60, gap=0.0, beta=9.0, time_limit=1.5)
    fill(study, 60)
    turns, elapsed = counted(lambda: study.ask(prove=True))
    assert elapsed > 1 and turns > 20


def test_ctrl_c_ends_a_search_with_the_certificate_so_far() -> None:
    gp = hard_model()
    started = time.monotonic()
    with ctrl_c(0.7), pytest.raises(fathom.Interrupted) as stopped:
        fathom.minimize_acquisition(gp, [(0, 1)] * 6, gap=0, proof=True, time_limit=None)
    assert time.monotonic() - started < 20
    certificate = stopped.value.result
    assert certificate.status == "interrupted" and certificate.nodes > 0 and certificate.x.shape == (6,)
    assert certificate.lower_bound < certificate.value and certificate.verify().boxes > 0


def fill(study: fathom.Study, count: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, float(rng.normal()))


def test_ctrl_c_ends_an_ask_and_its_trial_is_handed_out_next() -> None:
    space = {f"x{j}": (0.0, 1.0) for j in range(6)}
    study = fathom.Study(space, initial=60, gap=0.0, beta=9.0, time_limit=4)
    fill(study, 60)
    started = time.monotonic()
    with ctrl_c(0.7), pytest.raises(KeyboardInterrupt):
        study.ask(prove=True)
    assert time.monotonic() - started < 3
    trial = study.ask()
    assert trial.id == 61 and [other.id for other in study.trials if other.state == "pending"] == [61]
    study.tell(trial, 0.5)
    assert study.trials[60].value == 0.5


def test_ctrl_c_ends_an_ask_at_once_with_the_trial_so_far() -> None:
    study = fathom.Study({f"x{j}": (0.0, 1.0) for j in range(8)}, initial=60, gap=0.0, beta=9.0)
    fill(study, 60)
    with ctrl_c(3.0), pytest.raises(fathom.Interrupted) as stopped:
        started = time.monotonic()
        study.ask(prove=True)
    took = time.monotonic() - started - 3.0
    # A tenth of this time is meant, and machines stall.
    assert took < 1.0
    [trial] = stopped.value.result
    assert trial.id == 61 and trial.certificate is not None and trial.certificate.status == "interrupted"
    assert trial.certificate.lower_bound is None or trial.certificate.lower_bound < trial.certificate.value
    # Nobody has the trial, so the next who asks is given it as it is.
    assert study.ask().params == trial.params


def test_proofs_are_checked_beside_other_threads_and_ctrl_c_does_not_wait_for_them() -> None:
    certificate = fathom.minimize_acquisition(hard_model(), [(0, 1)] * 6, gap=0, node_limit=3000, proof=True)
    proof = certificate.proof
    assert proof is not None
    for check in (certificate.verify, lambda: fathom.verify(proof)):
        turns, elapsed = counted(check)
        assert turns > 20 * min(elapsed, 1)
        started = time.monotonic()
        with ctrl_c(elapsed / 10), pytest.raises(KeyboardInterrupt):
            check()
        assert time.monotonic() - started < max(elapsed / 2, elapsed / 10 + 0.3)


def test_ctrl_c_ends_the_making_of_a_proof_and_the_study_goes_on() -> None:
    space = {f"x{j}": (0.0, 1.0) for j in range(6)}
    study = fathom.Study(space, initial=60, gap=0.0, beta=9.0, node_limit=4000, time_limit=None)
    fill(study, 60)
    trial = study.ask()
    # This is the same search again.
    for make in (lambda: study.verify(trial), trial.proof):
        started = time.monotonic()
        with ctrl_c(trial.seconds / 5), pytest.raises(KeyboardInterrupt):
            make()
        assert time.monotonic() - started < trial.seconds / 5 + 0.5
    assert study.find(trial).params == trial.params and study.verify(trial).about == "trial 61 of `study`"


def test_ctrl_c_ends_a_loop_with_the_result_so_far() -> None:
    def slow(x: dict[str, float]) -> float:
        time.sleep(0.1)
        return x["x"]

    with ctrl_c(1.0), pytest.raises(fathom.Interrupted) as stopped:
        fathom.minimize(slow, {"x": (0.0, 1.0)}, n_trials=10_000)
    result = stopped.value.result
    assert result.value == min(trial.value for trial in result.trials if trial.value is not None)
    assert 1 <= len(result.trials) < 10_000


def test_a_handler_of_ones_own_is_heard() -> None:
    class Enough(Exception):
        pass

    def handler(number: int, frame: object) -> None:
        raise Enough

    before = signal.signal(signal.SIGINT, handler)
    try:
        with ctrl_c(0.5), pytest.raises(Enough):
            fathom.minimize_acquisition(hard_model(), [(0, 1)] * 6, gap=0, time_limit=30)
    finally:
        signal.signal(signal.SIGINT, before)


def test_several_threads_share_a_model_and_a_study() -> None:
    gp = hard_model(dim=2, count=20)
    study = fathom.Study({"x": (0.0, 1.0)}, initial=30)
    minima: list[float] = []

    def work() -> None:
        minima.append(fathom.minimize_acquisition(gp, [(0, 1)] * 2).value)
        for _ in range(3):
            trial = study.ask()
            study.tell(trial, trial.params["x"])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(minima)) == 1 and len(minima) == 4
    assert [trial.id for trial in study.trials] == list(range(1, 13))
    assert all(trial.state == "complete" for trial in study.trials)


def fitted(seed: int) -> float:
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 1, (20, 2))
    return fathom.GaussianProcess().fit(X, np.sin(5 * X[:, 0]) + X[:, 1]).log_likelihood


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")
def test_a_forked_process_fits_like_its_parent() -> None:
    here = [fitted(seed) for seed in range(2)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(fitted, range(2)).get(timeout=60) == here
