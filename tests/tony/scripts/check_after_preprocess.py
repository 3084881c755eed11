import os
import pathlib
marker = pathlib.Path(os.environ["MARKER"])
if os.environ.get("PREPROCESSING_JOB") == "true":
    marker.write_text(os.environ["JOB_NAME"])
else:
    assert marker.read_text() == "preprocess"
