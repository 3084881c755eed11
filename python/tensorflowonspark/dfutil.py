import sys

from howdah.tfos import dfutil

sys.modules[__name__] = dfutil
