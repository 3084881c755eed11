import os
import sys
print("retries", os.environ.get("NUM_AM_RETRIES"))
sys.exit(0 if "NUM_AM_RETRIES" in os.environ else 1)
