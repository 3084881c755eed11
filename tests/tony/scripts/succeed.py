print("well")
