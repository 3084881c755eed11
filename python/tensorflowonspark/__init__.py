"""TensorFlowOnSpark's name for the modules of howdah.tfos."""

from howdah.tfos import __version__ as __version__
