"""Bayesian optimisation with certified suggestions; `Study.verify` makes the proof behind one again and checks it.

Use `minimize` for the first minute, `Study` to ask and tell, `GaussianProcess` and `minimize_acquisition` for one certified
minimum, `verify` for proofs, `audit` for someone else's suggestion. For Optuna, Ray and BoTorch there are certificates and
no proofs. docs/guide/python.md describes the whole.
"""

from ._fathom import Audit, Certificate, GaussianProcess, Trial, Verification, __version__
from .acquisition import audit, minimize_acquisition
from .constraint import Row
from .errors import ExhaustedError, FathomError, InputError, Interrupted, ProofError, StoreError
from .loop import Result, minimize
from .problem import Problem, read_problem
from .space import Boolean, Categorical, Fixed, Float, Integer, Parameter, Space, Values
from .study import Change, Recommended, Study, TableImport
from .verification import verify

__all__ = [
    "Audit",
    "Boolean",
    "Categorical",
    "Certificate",
    "Change",
    "ExhaustedError",
    "FathomError",
    "Fixed",
    "Float",
    "GaussianProcess",
    "InputError",
    "Integer",
    "Interrupted",
    "Parameter",
    "Problem",
    "ProofError",
    "Recommended",
    "Result",
    "Row",
    "Space",
    "StoreError",
    "Study",
    "TableImport",
    "Trial",
    "Values",
    "Verification",
    "__version__",
    "audit",
    "minimize",
    "minimize_acquisition",
    "read_problem",
    "verify",
]
