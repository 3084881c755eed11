"""Reads a feed as a training does: in each step the ranks exchange their rows, as trainings exchange gradients. The
checkpoint has the number of times that each row of the pass was read, and an account of the passes that were read to
their end. Ends after the pass in which the file END appears.

Variables: PACE (the least duration of a step in seconds), SAVE_EVERY (steps), END, and those of feed_rows.py."""
import json
import os
import socket
import time

import numpy as np

import howdah
from feed_rows import ROWS, numbers

PACE, SAVE_EVERY = float(os.environ["PACE"]), int(os.environ["SAVE_EVERY"])
BATCH = 16


class Exchange:
    """Collects one value of each rank in rank 0, which returns them to all. Fails when a rank is gone."""

    def __init__(self, rank, size):
        self._size = size
        address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
        if rank == 0:
            server = socket.create_server(address, backlog=size)
            self._others = [server.accept()[0].makefile("rw") for _ in range(size - 1)]
        else:
            self._others = []
            self._root = self._connect(address).makefile("rw")

    @staticmethod
    def _connect(address):
        end = time.monotonic() + 60
        while True:
            try:
                return socket.create_connection(address)
            except ConnectionRefusedError:  # rank 0 has not started
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    @staticmethod
    def _send(file, value):
        file.write(json.dumps(value) + "\n")
        file.flush()

    @staticmethod
    def _receive(file):
        line = file.readline()
        if not line:
            raise SystemExit("another rank is gone")
        return json.loads(line)

    def all(self, value, decision=None):
        """The values of all ranks in any order, and the decision of rank 0."""
        if self._size > 1 and not self._others:
            self._send(self._root, value)
            return self._receive(self._root)
        together = [[value, *map(self._receive, self._others)], decision]
        for file in self._others:
            self._send(file, together)
        return together


class State:
    """The contents of a checkpoint: counts of the rows of the pass, and of passes by (rows missing, rows repeated)."""

    def __init__(self, ctx):
        self._ctx = ctx
        self.step, directory = ctx.latest()
        self.number, self.counts, self.passes = 0, np.zeros(ROWS, int), []
        if directory:
            saved = np.load(f"{directory}/state.npz")
            self.number, self.counts = int(saved["number"]), saved["counts"]
            self.passes = saved["passes"].tolist()

    def end_pass(self):
        self.passes.append([int((self.counts == 0).sum()), int(np.maximum(self.counts - 1, 0).sum())])
        self.number, self.counts = self.number + 1, np.zeros(ROWS, int)

    def save(self):
        with self._ctx.checkpoint(self.step) as folder:
            passes = np.array(self.passes, int).reshape(-1, 2)
            np.savez(f"{folder}/state.npz", number=self.number, counts=self.counts, passes=passes)


def read_pass(ctx, feed, exchange, state):
    """Reads the rest of a pass. Returns its number."""
    number = feed.epoch
    for rows in feed.numpy(BATCH):
        begun = time.monotonic()
        ids = rows["id"]
        if not np.array_equal(rows["numbers"], numbers(ids)):
            raise SystemExit("the numbers of a row are not its own")
        ids_of_all, _ = exchange.all(ids.tolist())
        if feed.epoch != state.number:
            raise SystemExit(f"pass {feed.epoch} was read in place of pass {state.number}")
        for ids in ids_of_all:
            np.add.at(state.counts, ids, 1)
        state.step += 1
        ctx.progress(state.step)
        if state.step % SAVE_EVERY == 0:
            state.save()
        time.sleep(max(0.0, PACE - (time.monotonic() - begun)))
    return number


def main():
    ctx = howdah.context()
    state = State(ctx)
    feed, exchange = ctx.feed("train"), Exchange(ctx.rank, ctx.world_size)
    end = False
    while not end:
        if read_pass(ctx, feed, exchange, state) == state.number:
            # After a restart, a pass may have no rows except those that are left out.
            state.end_pass()
        state.step += 1
        state.save()
        end = exchange.all(None, os.path.exists(os.environ["END"]))[1]
    if ctx.rank == 0:
        print("RESULT", json.dumps({"steps": state.step, "passes": state.passes}), flush=True)
    exchange.all(None)
    feed.stop()


main()
