"""Prints the whole environment as JSON, for the test to look at."""
import json
import os
print(json.dumps(dict(os.environ)))
