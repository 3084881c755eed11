"""Objects that stand between the rows in a queue of a TFManager."""


class Marker:
    """The base class of markers, which are not rows."""


class EndPartition(Marker):
    """The end of a partition."""
