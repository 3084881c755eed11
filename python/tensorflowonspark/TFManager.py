import sys

from howdah.tfos import TFManager

sys.modules[__name__] = TFManager
