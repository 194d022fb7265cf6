"""What waits for a session in a loop of asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ._errors import ClosedError
from ._events import PermissionAnswered, Reply

Answer = Reply | PermissionAnswered


class Waiters:
    """The futures that wait for answers and events of one handle.

    The descriptor is read by the loop while somebody waits. One loop can do so at a time.
    """

    def __init__(self, descriptor: int, take: Callable[[], None]) -> None:
        """Keep futures of a descriptor.

        :param take: Takes all events from the library, and hands answers to :meth:`answer`.
        """
        self._descriptor = descriptor
        self._take = take
        self._loop: asyncio.AbstractEventLoop | None = None
        self._answers: dict[int, asyncio.Future[Answer]] = {}
        self._arrivals: set[asyncio.Future[None]] = set()

    async def reply(self, cookie: int, ask: Callable[[int], object]) -> Answer:
        """Ask with a cookie, and return the answer that bears it."""
        future: asyncio.Future[Answer] = self._current().create_future()
        self._answers[cookie] = future
        try:
            ask(cookie)
            self._begin()
            return await future
        finally:
            self._answers.pop(cookie, None)
            self._end_if_idle()

    async def event(self) -> None:
        """Wait until there is an event that is no awaited answer."""
        future: asyncio.Future[None] = self._current().create_future()
        self._arrivals.add(future)
        try:
            self._begin()
            await future
        finally:
            self._arrivals.discard(future)
            self._end_if_idle()

    def answer(self, event: Answer) -> bool:
        """Hand an answer to who waits for it; return whether anybody does."""
        future = self._answers.get(event.cookie)
        if future is None:
            return False
        if not future.done():
            future.set_result(event)
        return True

    def end(self) -> None:
        """End all waiting: the handle is closed."""
        if self._loop is not None:
            self._loop.remove_reader(self._descriptor)
            self._loop = None
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(ClosedError("The session was closed."))
        self._wake()

    def _current(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        if self._loop is not None and self._loop.is_closed():
            # It was closed while somebody waited in it, who will not go on.
            self._loop = None
            self._answers.clear()
            self._arrivals.clear()
        if self._loop is not None and self._loop is not loop:
            raise RuntimeError("another loop of asyncio waits for this session")
        return loop

    def _begin(self) -> None:
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._loop.add_reader(self._descriptor, self._readable)

    def _readable(self) -> None:
        self._take()
        self._wake()

    def _wake(self) -> None:
        for arrival in self._arrivals:
            if not arrival.done():
                arrival.set_result(None)

    def _end_if_idle(self) -> None:
        if self._loop is not None and not self._answers and not self._arrivals:
            self._loop.remove_reader(self._descriptor)
            self._loop = None
