import sys

from howdah.tfos import util

sys.modules[__name__] = util
