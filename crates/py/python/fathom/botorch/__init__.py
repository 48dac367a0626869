"""Fathom in BoTorch: `optimize_acqf` with a certificate.

    candidate, value = fathom.botorch.optimize_acqf_certified(UpperConfidenceBound(model, beta=4.0), bounds)

The certificate comes without a proof.
"""

try:
    import botorch as _botorch  # noqa: F401
except ImportError as error:
    raise ImportError("fathom.botorch needs BoTorch: pip install botorch") from error

from fathom.botorch.optimize import Certified, optimize_acqf_certified

__all__ = ["Certified", "optimize_acqf_certified"]
