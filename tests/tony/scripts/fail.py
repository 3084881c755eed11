import sys
print("it is to fail")
sys.exit(1)
