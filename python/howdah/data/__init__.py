"""Formats of training data."""

from . import tfrecord as tfrecord
