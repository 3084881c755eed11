import sys

from howdah.tfos import pipeline

sys.modules[__name__] = pipeline
