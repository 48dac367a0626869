"""BoTorch as in botorch.py, on ln(1 + (y − least) / (median − least)): what users do whose values span decades."""

import torch

from rivals import botorch

PACKAGES, KEEPS_ROWS = botorch.PACKAGES, botorch.KEEPS_ROWS


class Rival(botorch.Rival):
    def targets(self):
        y = torch.tensor(self.y)
        least = y.min()
        width = (y.median() - least).clamp_min(1e-12 * y.abs().max() + 1e-300)
        return -torch.log1p((y - least) / width).unsqueeze(-1)
