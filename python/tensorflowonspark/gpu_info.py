import sys

from howdah.tfos import gpu_info

sys.modules[__name__] = gpu_info
