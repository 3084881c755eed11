# peer.py ROLE: prints host:port of task 0 of a role
import json, os, sys
print(json.loads(os.environ["HOWDAH_CLUSTER"])[sys.argv[1]][0])
