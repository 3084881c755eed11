"""A program for a task, which writes event files for TensorBoard."""
CURVE = """
import os
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
writer = EventFileWriter(os.environ["TB_LOG_DIR"])
for step in range(10):
    value = Summary.Value(tag="accuracy", simple_value=step / 10)
    writer.add_event(Event(wall_time=1000 + step, step=step, summary=Summary(value=[value])))
writer.close()
print("written", flush=True)
"""
