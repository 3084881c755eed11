import os
assert os.environ["ENV_CHECK"] == "ENV_CHECK", os.environ["ENV_CHECK"]
