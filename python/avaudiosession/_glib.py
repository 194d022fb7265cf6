"""Events in a main loop of GLib, through PyGObject, which is loaded when it is used."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ._events import Event


def attach(descriptor: int, dispatch: Callable[[], object]) -> int:
    """Call a function whenever a descriptor is readable; return the number of the source."""
    from gi.repository import GLib

    def readable(_descriptor: int, _condition: object) -> bool:
        dispatch()
        return True

    source: int = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, descriptor, GLib.IOCondition.IN, readable)
    return source


def guarded(handler: Callable[[Event], object]) -> Callable[[Event], None]:
    """Return a handler that tells what it raises, for a loop that its source must not leave then."""

    def handle(event: Event) -> None:
        try:
            handler(event)
        except Exception:
            sys.excepthook(*sys.exc_info())

    return handle


def remove(source: int) -> None:
    """End a source, unless that has happened."""
    from gi.repository import GLib

    if GLib.MainContext.default().find_source_by_id(source) is not None:
        GLib.source_remove(source)
