"""Bayesian optimisation with a proof behind every certified suggestion.

`minimize` for the first minute, `Study` to ask and tell, `GaussianProcess` and `minimize_acquisition` for one certified
minimum, `audit` for someone else's. The whole of it: docs/python.md.
"""

from ._fathom import Audit, Certificate, GaussianProcess, Trial, Verification, __version__
from .acquisition import Row, audit, minimize_acquisition
from .errors import ExhaustedError, FathomError, InputError, Interrupted, ProofError, StoreError
from .loop import Result, minimize
from .space import Categorical, Fixed, Float, Integer, Parameter, Space
from .study import Study

__all__ = [
    "Audit",
    "Categorical",
    "Certificate",
    "ExhaustedError",
    "FathomError",
    "Fixed",
    "Float",
    "GaussianProcess",
    "InputError",
    "Integer",
    "Interrupted",
    "Parameter",
    "ProofError",
    "Result",
    "Row",
    "Space",
    "StoreError",
    "Study",
    "Trial",
    "Verification",
    "__version__",
    "audit",
    "minimize",
    "minimize_acquisition",
]
