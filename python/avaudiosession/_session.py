"""The session of the process."""

from __future__ import annotations

import collections
import ctypes
import itertools
import math
import os
import select
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from . import _glib, _library
from ._asyncio import Waiters
from ._errors import ArgumentError, ClosedError, SessionError
from ._events import Event, PermissionAnswered, Reply, taken_event
from ._values import (
    Category,
    Direction,
    Mode,
    Number,
    Option,
    Permission,
    Preference,
    Route,
    SessionType,
    State,
    taken_route,
)

_NOTIFY_OTHERS = 1

# The questions of avas_session_ask_async().
_OTHER_AUDIO_PLAYING, _SILENCE_SECONDARY, _PERMISSION, _ROUTE, _AVAILABLE, _NUMBER = 1, 2, 3, 4, 5, 100

# The cookies of `await`, which no program uses: those of programs are smaller.
_cookies = itertools.count(2**63)

_has_name = False


def library_version() -> tuple[int, int, int]:
    """Return the version of libavaudiosession that runs."""
    number: int = _library.get("avas_version")
    return number >> 16, number >> 8 & 255, number & 255


def set_application(identifier: str, name: str | None = None, icon: str | None = None) -> None:
    """Set the identifier, name and icon under which mixers, desktops and other sessions show the program.

    Without it the first :class:`Session` takes the name of the script. Call it before, else it raises
    :class:`StateError`.

    :param identifier: As in the name of the desktop file, ``org.example.Player``.
    :param name: What people read.
    :param icon: The name of an icon in the desktop's theme.
    """
    global _has_name
    _library.call(
        "avas_set_application",
        _library.encoded(identifier, "identifier"),
        None if name is None else _library.encoded(name, "name"),
        None if icon is None else _library.encoded(icon, "icon's name"),
    )
    _has_name = True


def _take_name_of_script() -> None:
    """Name the program after its script: all of them are ``python3`` otherwise."""
    global _has_name
    name = Path(sys.argv[0]).stem if sys.argv else ""
    if _has_name or name in ("", "-c", "-m"):
        return
    _has_name = True
    try:
        encoded = _library.encoded(name, "name")
        _library.call("avas_set_application", encoded, encoded, None)
    except SessionError:
        # Another part of the process has used the session, or the name is none to show.
        pass


class Session:
    """A handle to the session of this process, with its own queue of events.

    All methods may be called on any thread; those for asyncio and GLib on the thread of the loop. A method that waits
    for the sound server says so: for 2 s at most. Wrong arguments raise :class:`ArgumentError` or ``TypeError``.

    A session ends by a deactivation or with the process, not when a handle is closed.
    """

    def __init__(self) -> None:
        """Open a handle; starts no thread and connects to nothing."""
        self._reference = 0
        self._is_closed = True
        _take_name_of_script()
        place = ctypes.c_void_p()
        _library.call("avas_session_open", ctypes.byref(place))
        self._reference = place.value or 0
        self._is_closed = False
        self._descriptor = _library.call("avas_session_get_fd", self._reference)
        # Events that were taken from the library while an answer was awaited.
        self._events: collections.deque[Event] = collections.deque()
        self._waiters = Waiters(self._descriptor, self._take)
        self._sources: set[int] = set()

    def close(self) -> None:
        """Close the handle: its events are dropped, and what waits for them ends. Closing again does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        self._waiters.end()
        for source in self._sources:
            _glib.remove(source)
        self._sources.clear()
        _library.call("avas_session_close", self._reference)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # At the end of the process the library sees to the last word.
        if not self._is_closed and not sys.is_finalizing():
            _library.get("avas_session_close", self._reference)

    # Settings

    def set_type(self, kind: SessionType | str) -> None:
        """Set what the session is for. Waits for the sound server while the session is active."""
        _library.call("avas_session_set_type", self._reference, _library.encoded(kind, "type"))

    def configure(
        self, category: Category | str, mode: Mode | str = Mode.DEFAULT, options: Option | int = Option(0)
    ) -> None:
        """Set category, mode and options, all or none of them. Waits for the sound server while the session is active.

        Raises :class:`ArgumentError` for a combination that does not exist, and :class:`CallError` where the active
        session would begin to record during another program's call.
        """
        _library.call(
            "avas_session_set_category",
            self._reference,
            _library.encoded(category, "category"),
            _library.encoded(mode, "mode"),
            _library.integer(options, 0, 2**32 - 1, "combination of options"),
        )

    @property
    def category(self) -> Category:
        """The category."""
        return Category(_library.named("avas_session_get_category", self._reference))

    @property
    def mode(self) -> Mode:
        """The mode."""
        return Mode(_library.named("avas_session_get_mode", self._reference))

    @property
    def options(self) -> Option:
        """The options in force, with those that others imply."""
        return Option(_library.call("avas_session_get_options", self._reference))

    def set_preference(self, preference: Preference, value: bool) -> None:
        """Set a preference. Raises :class:`NoServerError` while the server is lost, whose return resets preferences."""
        number = _library.int32(preference, "preference")
        _library.call("avas_session_set_preference", self._reference, number, _library.int32(value, "preference"))

    def preference(self, preference: Preference) -> bool:
        """Return a preference."""
        number = _library.int32(preference, "preference")
        return _library.call("avas_session_get_preference", self._reference, number) == 1

    # Activation

    def activate(self) -> None:
        """Activate the session: it interrupts or lowers others, as its settings say, who know it when this returns.

        Waits for the sound server; usually some milliseconds. Raises :class:`NoServerError`, :class:`CallError` and
        :class:`NoDeviceError`.
        """
        _library.call("avas_session_activate", self._reference, 0)

    def deactivate(self, *, notify_others: bool = True) -> None:
        """Deactivate the session; it is inactive afterwards, even if this raises :class:`BusyError`.

        Waits for the sound server.

        :param notify_others: Whether the interrupted may resume.
        """
        _library.call("avas_session_deactivate", self._reference, _NOTIFY_OTHERS if notify_others else 0)

    @contextmanager
    def active(self, *, notify_others: bool = True) -> Iterator[Self]:
        """Activate the session for the length of a ``with`` block, however that ends."""
        is_refused = False
        try:
            try:
                self.activate()
            except SessionError:
                is_refused = True
                raise
            yield self
        except BaseException:
            # Ctrl-C included, in the middle of the activation too. The error of the block is the one to tell.
            if not is_refused:
                with suppress(SessionError):
                    self.deactivate(notify_others=notify_others)
            raise
        self.deactivate(notify_others=notify_others)

    def activate_later(self, cookie: int = 0) -> None:
        """Activate the session in the background. One :class:`Reply` with this cookie follows."""
        _library.call("avas_session_activate_async", self._reference, 0, _cookie(cookie))

    def deactivate_later(self, cookie: int = 0, *, notify_others: bool = True) -> None:
        """Deactivate the session in the background. One :class:`Reply` with this cookie follows."""
        flags = _NOTIFY_OTHERS if notify_others else 0
        _library.call("avas_session_deactivate_async", self._reference, flags, _cookie(cookie))

    def warm_up(self) -> None:
        """Begin to connect to the sound server, in the background."""
        _library.call("avas_session_warm_up", self._reference)

    @property
    def state(self) -> State:
        """The state."""
        return State(_library.call("avas_session_get_state", self._reference))

    def set_playing(self, count: int) -> None:
        """Say how many streams of its own the program has running, where the server cannot know: in a sandbox."""
        _library.call("avas_session_set_playing", self._reference, _library.int32(count, "number of streams"))

    @property
    def is_other_audio_playing(self) -> bool:
        """Whether another program is heard. Waits for the sound server."""
        return _library.call("avas_session_is_other_audio_playing", self._reference) == 1

    @property
    def should_silence_secondary(self) -> bool:
        """Whether secondary sound, such as a game's music, should be silent. Waits for the sound server."""
        return _library.call("avas_session_should_silence_secondary", self._reference) == 1

    # Devices

    @property
    def route(self) -> Route:
        """The route, or the one that the session would have if it was active. Waits while it is not."""
        return taken_route(_library.pointer("avas_session_get_route", self._reference))

    @property
    def available(self) -> Route:
        """The ports that the session could use by its settings. Waits for the sound server."""
        return taken_route(_library.pointer("avas_session_get_available", self._reference))

    def number(self, which: Number) -> float:
        """Return a number of the session's devices; 0 where there is none. Waits for the sound server."""
        value = ctypes.c_double()
        number = _library.int32(which, "number")
        _library.call("avas_session_get_number", self._reference, number, ctypes.byref(value))
        return value.value

    # Streams of other libraries

    def stream_properties(self, direction: Direction = Direction.OUTPUT) -> dict[str, str]:
        """Return the properties by which a stream belongs to the session. Waits for the sound server."""
        number = _library.int32(direction, "direction")
        block = _library.pointer("avas_session_copy_stream_properties", self._reference, number)
        words = [entry.decode() for entry in _library.texts(block)]
        return dict(zip(words[::2], words[1::2], strict=True))

    def environment(self, base: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return an environment for a child whose streams belong to the session, for ``subprocess``.

        Waits for the sound server.

        :param base: The environment to begin with; that of the process without it.
        """
        if not isinstance(base, Mapping | None):
            raise TypeError(f"the environment is a {type(base).__name__} and no mapping")
        entries = [os.fsencode(f"{key}={value}") for key, value in (os.environ if base is None else base).items()]
        if any(b"\0" in entry for entry in entries):
            raise ArgumentError("The environment contains a zero byte.")
        block = _library.pointer("avas_session_copy_environment", self._reference, _library.list_of_texts(entries))
        pairs = (os.fsdecode(entry).partition("=") for entry in _library.texts(block))
        return {key: value for key, _, value in pairs}

    def export_environment(self) -> None:
        """Put the session's variables into ``os.environ``, for libraries that take properties of streams from there.

        Waits for the sound server. Call it again after a change of the category.
        """
        for key, value in self.environment().items():
            if os.environ.get(key) != value:
                os.environ[key] = value

    # Microphone

    @property
    def permission(self) -> Permission:
        """Whether the program may record. Waits for the desktop's first answer, for 2 s at most."""
        return Permission(_library.call("avas_session_get_permission", self._reference))

    def request_permission_later(self, cookie: int = 0) -> None:
        """Ask the user whether the program may record. One :class:`PermissionAnswered` with this cookie follows."""
        _library.call("avas_session_request_permission_async", self._reference, _cookie(cookie))

    # Events

    def fileno(self) -> int:
        """Return the descriptor that is readable while there are events, for ``select`` and every event loop."""
        return _library.call("avas_session_get_fd", self._reference)

    def _take(self) -> None:
        """Take all events from the library; answers go to those who wait for them."""
        while not self._is_closed and (reference := _library.get("avas_session_next_event", self._reference)):
            event = taken_event(reference)
            if not isinstance(event, Reply | PermissionAnswered) or not self._waiters.answer(event):
                self._events.append(event)

    def _each(self) -> Iterator[Event]:
        """Yield the events that are there, and leave those that nobody asks for."""
        self._take()
        while self._events:
            yield self._events.popleft()

    def events(self) -> list[Event]:
        """Return the events that are there now, the oldest first; each is returned once."""
        return list(self._each())

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until there is an event; return whether there is one.

        :param timeout: In seconds; None waits for ever.
        """
        if timeout is not None and math.isnan(timeout):
            raise ArgumentError("The time is no number.")
        end = math.inf if timeout is None else time.monotonic() + timeout
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        while not self._events:
            # A signal that comes just before the system's call is handled after it: so none is long.
            if poll.poll(min(1.0, max(0.0, end - time.monotonic())) * 1000):
                return True
            if self.fileno() >= 0 and time.monotonic() >= end:
                return False
        return True

    def dispatch(self, handler: Callable[[Event], object]) -> int:
        """Call a handler for each event that is there now, on this thread; return their number.

        The events behind one whose handler raises stay for the next call.
        """
        _check_handler(handler)
        count = 0
        for event in self._each():
            count += 1
            handler(event)
        return count

    def __iter__(self) -> Iterator[Event]:
        """Yield events as they come, for programs without an event loop; ends when the session is closed."""
        while not self._is_closed:
            yield from self._each()
            with suppress(ClosedError):
                self.wait()

    # asyncio

    async def activate_async(self) -> None:
        """Activate the session without blocking the loop; raises as :meth:`activate`."""
        _raise(await self._waiters.reply(next(_cookies), self.activate_later))

    async def deactivate_async(self, *, notify_others: bool = True) -> None:
        """Deactivate the session without blocking the loop; raises as :meth:`deactivate`."""
        _raise(
            await self._waiters.reply(
                next(_cookies), lambda cookie: self.deactivate_later(cookie, notify_others=notify_others)
            )
        )

    async def set_type_async(self, kind: SessionType | str) -> None:
        """Set what the session is for without blocking the loop; raises as :meth:`set_type`."""
        await self._reply("avas_session_set_type_async", _library.encoded(kind, "type"))

    async def configure_async(
        self, category: Category | str, mode: Mode | str = Mode.DEFAULT, options: Option | int = Option(0)
    ) -> None:
        """Set category, mode and options without blocking the loop; raises as :meth:`configure`."""
        await self._reply(
            "avas_session_set_category_async",
            _library.encoded(category, "category"),
            _library.encoded(mode, "mode"),
            _library.integer(options, 0, 2**32 - 1, "combination of options"),
        )

    async def is_other_audio_playing_async(self) -> bool:
        """Return :attr:`is_other_audio_playing` without blocking the loop."""
        return (await self._asked(_OTHER_AUDIO_PLAYING)).flag

    async def should_silence_secondary_async(self) -> bool:
        """Return :attr:`should_silence_secondary` without blocking the loop."""
        return (await self._asked(_SILENCE_SECONDARY)).flag

    async def route_async(self) -> Route:
        """Return :attr:`route` without blocking the loop."""
        return (await self._asked(_ROUTE)).route or Route((), ())

    async def available_async(self) -> Route:
        """Return :attr:`available` without blocking the loop."""
        return (await self._asked(_AVAILABLE)).route or Route((), ())

    async def number_async(self, which: Number) -> float:
        """Return :meth:`number` without blocking the loop."""
        if which not in iter(Number):
            raise ArgumentError(f"There is no number {int(_library.int32(which, 'number'))}.")
        return (await self._asked(_NUMBER + int(which))).value

    async def permission_async(self) -> Permission:
        """Return :attr:`permission` without blocking the loop."""
        return Permission(int((await self._asked(_PERMISSION)).value))

    async def _asked(self, question: int) -> Reply:
        return await self._reply("avas_session_ask_async", question)

    async def _reply(self, name: str, *arguments: bytes | int) -> Reply:
        """Call a function with these arguments and a cookie, and return the reply; raises its error."""
        answer = await self._waiters.reply(
            next(_cookies), lambda cookie: _library.call(name, self._reference, *arguments, cookie)
        )
        _raise(answer)
        if not isinstance(answer, Reply):
            raise RuntimeError(f"{name} was answered with {answer}")
        return answer

    @asynccontextmanager
    async def active_async(self, *, notify_others: bool = True) -> AsyncIterator[Self]:
        """Activate the session for the length of an ``async with`` block, however that ends."""
        is_refused = False
        try:
            try:
                await self.activate_async()
            except SessionError:
                is_refused = True
                raise
            yield self
        except BaseException:
            if not is_refused:
                with suppress(SessionError):
                    await self.deactivate_async(notify_others=notify_others)
            raise
        await self.deactivate_async(notify_others=notify_others)

    async def request_permission_async(self) -> bool:
        """Ask the user whether the program may record, unless that is decided; return the answer."""
        answer = await self._waiters.reply(next(_cookies), self.request_permission_later)
        return isinstance(answer, PermissionAnswered) and answer.is_granted

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Yield events as they come; ends when the session is closed."""
        while not self._is_closed:
            for event in self._each():
                yield event
            if not self._is_closed and not self._events:
                await self._waiters.event()

    # GLib

    def attach(self, handler: Callable[[Event], object]) -> int:
        """Call a handler for each event in GLib's default main context; return the number of the source.

        Needs PyGObject. ``GLib.source_remove()`` ends it, and so does :meth:`close`. What a handler raises goes to
        ``sys.excepthook``.
        """
        _check_handler(handler)
        source = _glib.attach(self.fileno(), lambda: self.dispatch(_glib.guarded(handler)))
        self._sources.add(source)
        return source


def _cookie(value: int) -> int:
    return _library.integer(value, 0, 2**64 - 1, "cookie")


def _check_handler(handler: object) -> None:
    # Before an event is taken for it.
    if not callable(handler):
        raise TypeError(f"the handler is a {type(handler).__name__}, which cannot be called")


def _raise(answer: Reply | PermissionAnswered) -> None:
    if isinstance(answer, Reply) and answer.error is not None:
        raise answer.error
