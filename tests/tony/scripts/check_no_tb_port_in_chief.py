import os
assert "TB_PORT" not in os.environ, os.environ["TB_PORT"]
