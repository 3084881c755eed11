"""The API of TensorFlowOnSpark, run by Howdah: `from howdah.tfos import TFCluster`.

The package `tensorflowonspark` of the wheel howdah-tensorflowonspark contains the same modules, so programs for
TensorFlowOnSpark run without changes. docs/tensorflowonspark.md describes the differences.
"""

__version__ = "2.2.5"  # the version of TensorFlowOnSpark whose API this is

MODULES = (
    "TFCluster",
    "TFManager",
    "TFNode",
    "TFParallel",
    "compat",
    "dfutil",
    "gpu_info",
    "marker",
    "pipeline",
    "util",
)
