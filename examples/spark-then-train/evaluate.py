"""Step 3: reports how often the model is right on points that the training has not seen."""
import sys

import torch

from points import load, network

folder, model_file = sys.argv[1:]
model = network()
model.load_state_dict(torch.load(model_file))
x, inside = load(folder)
with torch.no_grad():
    right = ((model(x) > 0) == (inside > 0.5)).float().mean().item()
print(f"accuracy {right:.3f} on {len(x)} points")
