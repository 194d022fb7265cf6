"""The errors of sessions."""

from __future__ import annotations


class SessionError(Exception):
    """The base of the library's errors.

    ``code`` is the number in avaudiosession.h, ``name`` its name there, and the text is one sentence.
    """

    code: int = -11
    name: str = "AVAS_ERROR_OTHER"

    def __init__(self, message: str, code: int | None = None, name: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        if name is not None:
            self.name = name


class ArgumentError(SessionError, ValueError):
    """An unknown name or number, a text that is not Unicode, settings that cannot be combined."""

    code = -1
    name = "AVAS_ERROR_ARGUMENT"


class ClosedError(SessionError):
    """The session was closed."""

    code = -2
    name = "AVAS_ERROR_CLOSED"


class StateError(SessionError):
    """The call comes too late or too early."""

    code = -3
    name = "AVAS_ERROR_STATE"


class NoServerError(SessionError):
    """No sound server answers, or it went away and has not come back."""

    code = -4
    name = "AVAS_ERROR_NO_SERVER"


class CallError(SessionError):
    """The category records, and a call has priority. :class:`MayRetry` follows when it is over."""

    code = -5
    name = "AVAS_ERROR_CALL"


class NoDeviceError(SessionError):
    """There is no microphone, or no output."""

    code = -6
    name = "AVAS_ERROR_NO_DEVICE"


class BusyError(SessionError):
    """Streams were running when the session was deactivated. It is inactive all the same."""

    code = -7
    name = "AVAS_ERROR_BUSY"


class ForkedError(SessionError):
    """The process is a child made with ``os.fork()``, which cannot use its parent's session."""

    code = -8
    name = "AVAS_ERROR_FORKED"


class CategoryError(SessionError):
    """The category does not support the operation."""

    code = -9
    name = "AVAS_ERROR_CATEGORY"


class SystemResourceError(SessionError):
    """The system refused: no memory, no descriptor."""

    code = -10
    name = "AVAS_ERROR_SYSTEM"


_CLASSES: dict[int, type[SessionError]] = {
    kind.code: kind
    for kind in (
        ArgumentError, ClosedError, StateError, NoServerError, CallError, NoDeviceError, BusyError, ForkedError,
        CategoryError, SystemResourceError,
    )
}  # fmt: skip


def error_of(code: int, name: str, message: str) -> SessionError:
    """Return the error behind a code of the library; :class:`SessionError` itself for codes of later versions."""
    return _CLASSES.get(code, SessionError)(message, code, name)
