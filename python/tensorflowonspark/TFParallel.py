import sys

from howdah.tfos import TFParallel

sys.modules[__name__] = TFParallel
