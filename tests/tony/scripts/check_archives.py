import os
import sys
wanted = ("common.zip", "other.zip", "test2.zip/123.xml", "remote.txt")
missing = [path for path in wanted if not os.path.isfile(path)]
if missing:
    sys.exit(f"not there: {missing}, but {os.listdir('.')}")
