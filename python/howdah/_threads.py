"""Runs blocking calls in separate threads, so that an event loop can await them."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable, TypeVar

T = TypeVar("T")


def in_thread(call: Callable[[], T]) -> asyncio.Future[T]:
    """Runs the call in a thread. Returns a future of the running loop for its result. The thread is a daemon, so it
    does not keep the program running."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def finish(value: Any, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)

    def work() -> None:
        value, error = None, None
        try:
            value = call()
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(finish, value, error)
        except RuntimeError:  # the loop is closed, so no caller waits
            pass

    threading.Thread(target=work, daemon=True).start()
    return future
