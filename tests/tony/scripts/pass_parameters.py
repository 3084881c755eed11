import os
if os.environ.get("PREPROCESSING_JOB") == "true":
    print("loading")
    print("INFO Model parameters: {\"lr\": 0.1, \"layers\": [3, 2]}")
    print("Model parameters: not the first")
else:
    print("params " + os.environ.get("MODEL_PARAMS", "(none)"))
