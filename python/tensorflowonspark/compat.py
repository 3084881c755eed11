import sys

from howdah.tfos import compat

sys.modules[__name__] = compat
