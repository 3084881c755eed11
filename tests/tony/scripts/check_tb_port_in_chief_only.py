import os
is_chief = os.environ["JOB_NAME"] == "chief"
assert ("TB_PORT" in os.environ) == is_chief, os.environ.get("TB_PORT")
assert os.environ.get("IS_CHIEF") == ("true" if is_chief else None)
