"""The accuracy of a support vector machine under 5-fold cross-validation.

`fathom run svm.toml` starts this once per trial, with {"C": …, "gamma": …} as JSON on stdin; the last line printed is the
value. The data are handwritten digits, which come with scikit-learn; `--data 20newsgroups` is the text classification of
the paper's Section 5.3 (TF-IDF, downloads 14 MB the first time, minutes for each evaluation). With `--serve` it stays and
answers one line for each line, which spares a start of Python for each evaluation.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC


Data = tuple[Any, Any, list[Any]]
"""Inputs, labels, and what inputs go through first."""


def digits() -> Data:
    from sklearn.datasets import load_digits

    data = load_digits()
    return data.data / 16.0, data.target, []


def breast_cancer() -> Data:
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import StandardScaler

    data = load_breast_cancer()
    return data.data, data.target, [StandardScaler()]


def newsgroups() -> Data:
    from sklearn.datasets import fetch_20newsgroups
    from sklearn.feature_extraction.text import TfidfVectorizer

    data = fetch_20newsgroups(subset="train")
    return data.data, data.target, [TfidfVectorizer()]


DATA = {"digits": digits, "breast-cancer": breast_cancer, "20newsgroups": newsgroups}

parser = argparse.ArgumentParser(description="The accuracy of a support vector machine under 5-fold cross-validation.")
parser.add_argument("--data", choices=DATA, default="digits")
parser.add_argument("--samples", type=int, help="use only so many, the first ones")
parser.add_argument("--serve", action="store_true", help="answer a line for each line of stdin until it ends")
arguments = parser.parse_args()

inputs, labels, steps = DATA[arguments.data]()
inputs, labels = inputs[: arguments.samples], labels[: arguments.samples]


def accuracy(point: dict[str, float]) -> float:
    machine = make_pipeline(*steps, SVC(C=point["C"], gamma=point["gamma"]))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return float(cross_val_score(machine, inputs, labels, cv=folds).mean())


if arguments.serve:
    for line in sys.stdin:
        print(accuracy(json.loads(line)), flush=True)
else:
    print(accuracy(json.load(sys.stdin)))
