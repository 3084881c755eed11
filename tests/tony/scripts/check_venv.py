import os
import sys
if not os.path.isfile("venv/123.xml"):
    sys.exit(255)
assert os.environ["ENV_CHECK"] == "ENV_CHECK"
