import sys

from howdah.tfos import TFNode

sys.modules[__name__] = TFNode
