"""The data set and the model, which the training and the evaluation share."""
from pathlib import Path

import numpy as np
import torch
from torch import nn


def load(folder):
    """Reads the files that Spark has written: lines of x,y,inside."""
    parts = [np.loadtxt(file, delimiter=",", dtype=np.float32, ndmin=2)
             for file in sorted(Path(folder).glob("part-*")) if file.stat().st_size]
    table = torch.from_numpy(np.concatenate(parts))
    return table[:, :2], table[:, 2:]


def network():
    return nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
