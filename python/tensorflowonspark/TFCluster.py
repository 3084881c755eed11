import sys

from howdah.tfos import TFCluster

sys.modules[__name__] = TFCluster
