"""Optuna's Gaussian process with its defaults."""

import optuna
import torch

from rivals import optuna_tpe

PACKAGES = ("optuna", "torch", "scipy")

torch.set_num_threads(1)


class Rival(optuna_tpe.Rival):
    sampler = optuna.samplers.GPSampler
