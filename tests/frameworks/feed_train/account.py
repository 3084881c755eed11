"""The account of one rank: the rows of each step, and its results. The test reads it from the folder OUT."""
import json
import os

BATCH = 32    # rows of a rank in one step
RATE = 0.03   # of gradient descent; see `rounding` in test_feeds.py
PASSES = 3
PIXELS = 784


class Account:
    def __init__(self, context, feed):
        self.rank, self.feed = context.rank, feed
        self.steps = []       # by pass and step: the ids of the rows
        self.ahead = 0        # rows by which the position of the feed was ahead of the training, at most
        self.accuracies = []  # after each pass

    def begin(self):
        self.steps.append([])

    def step(self, ids):
        self.steps[-1].append([int(i) for i in ids])
        self.ahead = max(self.ahead, abs(self.feed.position - sum(map(len, self.steps[-1]))))

    def validated(self, right, rows):
        self.accuracies.append([int(right), int(rows)])

    def save(self, weights, bias):
        """weights: [pixels, digits]."""
        with open(f"{os.environ['OUT']}/rank-{self.rank}.json", "w") as file:
            json.dump({"steps": self.steps, "ahead": self.ahead, "accuracies": self.accuracies,
                       "weights": weights.tolist(), "bias": bias.tolist()}, file)
