"""Events of sessions."""

from __future__ import annotations

from dataclasses import dataclass

from . import _library
from ._errors import SessionError, error_of
from ._values import InterruptionReason, Route, RouteReason, taken_route


@dataclass(frozen=True)
class Event:
    """The base of all events; itself one of a type that this version does not know."""

    time: float
    """When it happened, in seconds of ``time.monotonic()``."""


@dataclass(frozen=True)
class InterruptionBegan(Event):
    """The session was interrupted, and its streams are silent already."""

    reason: InterruptionReason | int
    application: str | None
    """The name of the program that interrupted, if it is known."""
    pid: int | None
    """The process of the program that interrupted, if it is known."""


@dataclass(frozen=True)
class InterruptionEnded(Event):
    """The interruption is over, and the session is inactive."""

    should_resume: bool
    """Whether the program is to activate the session and to go on."""


@dataclass(frozen=True)
class RouteChanged(Event):
    """The route changed."""

    reason: RouteReason | int
    previous: Route | None
    """The route before."""


@dataclass(frozen=True)
class SilenceSecondary(Event):
    """The answer of :attr:`Session.should_silence_secondary` changed. Told while the session is active."""

    should_silence: bool


@dataclass(frozen=True)
class ServerLost(Event):
    """The sound server went away. All streams are gone."""


@dataclass(frozen=True)
class ServerBack(Event):
    """A sound server is there again. The session is inactive and has the settings of a new one."""


@dataclass(frozen=True)
class Activated(Event):
    """The session became active, by whatever part of the program."""


@dataclass(frozen=True)
class Deactivated(Event):
    """The session became inactive by a deactivation."""


@dataclass(frozen=True)
class MayRetry(Event):
    """The call is over because of which an activation failed with :class:`CallError`."""


@dataclass(frozen=True)
class InputsChanged(Event):
    """The list of microphones changed."""


@dataclass(frozen=True)
class PermissionAnswered(Event):
    """The answer to :meth:`Session.request_permission_later`."""

    cookie: int
    is_granted: bool


@dataclass(frozen=True)
class Reply(Event):
    """The end of :meth:`Session.activate_later` or :meth:`Session.deactivate_later`, or of a question in asyncio."""

    cookie: int
    error: SessionError | None
    """What the call would have raised."""
    flag: bool = False
    """The answer to a question that is answered with yes or no."""
    value: float = 0.0
    """The answer to a question for a number."""
    route: Route | None = None
    """The answer to a question for a route."""


@dataclass(frozen=True)
class Dropped(Event):
    """256 events were waiting, and the oldest ones went, but no answers. Ask for the state."""


_PLAIN: dict[int, type[Event]] = {
    5: ServerLost,
    6: ServerBack,
    7: Activated,
    8: Deactivated,
    9: MayRetry,
    10: InputsChanged,
    15: Dropped,
}


def taken_event(reference: int) -> Event:
    """Return the event behind a reference, and release that."""
    try:
        return _event(reference)
    finally:
        _library.get("avas_event_unref", reference)


def _event(reference: int) -> Event:
    kind = _library.call("avas_event_get_type", reference)
    time = _library.get("avas_event_get_time", reference) / 1e9
    flag = _library.call("avas_event_get_flag", reference) == 1
    match kind:
        case 1:
            return InterruptionBegan(
                time,
                _interruption_reason(_library.call("avas_event_get_reason", reference)),
                _library.text("avas_event_get_application", reference),
                _library.call("avas_event_get_pid", reference) or None,
            )
        case 2:
            return InterruptionEnded(time, flag)
        case 3:
            previous = _library.get("avas_event_get_previous_route", reference)
            return RouteChanged(
                time,
                _route_reason(_library.call("avas_event_get_reason", reference)),
                None if previous is None else taken_route(previous),
            )
        case 4:
            return SilenceSecondary(time, flag)
        case 13:
            return PermissionAnswered(time, _library.get("avas_event_get_cookie", reference), flag)
        case 14:
            route = _library.get("avas_event_get_route", reference)
            return Reply(
                time,
                _library.get("avas_event_get_cookie", reference),
                _error(reference),
                flag,
                _library.get("avas_event_get_value", reference),
                None if route is None else taken_route(route),
            )
        case _:
            return _PLAIN.get(kind, Event)(time)


def _error(reference: int) -> SessionError | None:
    code: int = _library.get("avas_event_get_error", reference)
    if code >= 0:
        return None
    message = _library.text("avas_event_get_error_message", reference) or ""
    return error_of(code, _library.error_name(code), message)


def _interruption_reason(number: int) -> InterruptionReason | int:
    try:
        return InterruptionReason(number)
    except ValueError:
        return number


def _route_reason(number: int) -> RouteReason | int:
    try:
        return RouteReason(number)
    except ValueError:
        return number
