"""The allow-list: every attribute of a module is either read, or the same as in a new module of the same type.

Whatever can change a posterior is an attribute of one of the model's modules: a parameter, a buffer, a module below, a
hook, a method that was replaced on the instance, a flag. So nobody has to know what may be wrong with a model; it is
enough to know what is right.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import torch
from gpytorch.constraints import Interval
from gpytorch.priors import Prior

import fathom

# What torch and GPyTorch keep for training, saving and loading. No posterior depends on it.
BOOKKEEPING = {
    "training",
    "_non_persistent_buffers_set",
    "_is_full_backward_hook",
    "_added_loss_terms",
    "_priors",
    "_constraints",
    "_strict_init",
    "_load_strict_shapes",
}
BOOKKEEPING_OF_HOOKS = ("_backward_hooks", "_backward_pre_hooks", "state_dict_hooks", "state_dict_pre_hooks")


def refusal(what: str, found: Any, wanted: str) -> fathom.InputError:
    """The error that says what is not understood, and what is."""
    return fathom.InputError(f"{what} is {type(found).__name__}, and a certificate needs {wanted}")


def examine(what: str, module: Any, fresh: Any, *, read: Collection[str] = (), parts: Collection[str] = ()) -> None:
    """Refuses `module` if it differs from `fresh`, a new one of its exact type, in more than what is `read` and its `parts`.

    Parts are examined on their own. Constraints and priors of parameters do not matter: the parameters are read through the
    constraints, and priors matter only while a model is fitted.
    """
    if type(module) is not type(fresh):
        raise refusal(what, module, type(fresh).__name__)
    if torch.nn.modules.module._has_any_global_hook():
        raise fathom.InputError("torch has hooks on all modules, which may change a posterior: remove them")
    new = vars(fresh)
    for name, value in vars(module).items():
        if name in BOOKKEEPING or name in read or name.endswith(BOOKKEEPING_OF_HOOKS):
            continue
        if name in ("_parameters", "_buffers"):
            _tensors(what, value, new[name], read)
        elif name == "_modules":
            _modules(what, value, new[name], parts)
        elif name.endswith(("_hooks", "_hooks_with_kwargs", "_hooks_always_called")):
            if value:
                raise fathom.InputError(f"{what} has a hook ({name.strip('_')}), which may change the posterior: remove it")
        elif name not in new:
            raise _unknown(what, name)
        elif not _same(value, new[name]):
            raise fathom.InputError(f"{what} has `{name.strip('_')}` = {value}, and a certificate needs {new[name]}")


def _tensors(what: str, own: Any, new: Any, read: Collection[str]) -> None:
    for name, tensor in own.items():
        if name not in read and not (name in new and _same(tensor, new[name])):
            if name not in new:
                raise _unknown(what, name)
            raise fathom.InputError(f"{what} has `{name.strip('_')}` = {tensor}, and a certificate needs {new[name]}")


def _modules(what: str, own: Any, new: Any, parts: Collection[str]) -> None:
    for name, module in own.items():
        is_known = name in parts or isinstance(module, (Interval, Prior)) or module is None and new.get(name) is None
        if not is_known:
            raise _unknown(what, name)


def _unknown(what: str, name: str) -> fathom.InputError:
    return fathom.InputError(
        f"{what} has `{name}`, which nobody knows the meaning of, and which may change the posterior: remove it"
    )


def _same(one: Any, other: Any) -> bool:
    """Whether two plain values are equal beyond doubt."""
    if isinstance(one, torch.Tensor) or isinstance(other, torch.Tensor):
        return isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor) and torch.equal(one, other)
    return one is other or type(one) is type(other) and one == other
