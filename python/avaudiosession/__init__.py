"""Audio sessions for the Linux desktop.

A session says what a program's sound is for. Programs with sessions interrupt each other, lower each other and give the
sound back. A prompt that lowers the music while it speaks::

    import subprocess
    from avaudiosession import Session, SessionType

    with Session() as session:
        session.set_type(SessionType.TRANSIENT)
        with session.active():
            subprocess.run(["espeak-ng", "Turn left."], env=session.environment())

The module plays nothing itself: streams of other libraries in the process belong to the session, and those of children
that have :meth:`Session.environment`. It needs libavaudiosession.so.1 and nothing else.
"""

from ._errors import (
    ArgumentError,
    BusyError,
    CallError,
    CategoryError,
    ClosedError,
    ForkedError,
    NoDeviceError,
    NoServerError,
    SessionError,
    StateError,
    SystemResourceError,
)
from ._events import (
    Activated,
    Deactivated,
    Dropped,
    Event,
    InputsChanged,
    InterruptionBegan,
    InterruptionEnded,
    MayRetry,
    PermissionAnswered,
    Reply,
    RouteChanged,
    ServerBack,
    ServerLost,
    SilenceSecondary,
)
from ._session import Session, library_version, set_application
from ._values import (
    Category,
    Direction,
    InterruptionReason,
    Mode,
    Number,
    Option,
    Permission,
    Port,
    Preference,
    Route,
    RouteReason,
    SessionType,
    State,
)

__all__ = [
    "Activated",
    "ArgumentError",
    "BusyError",
    "CallError",
    "Category",
    "CategoryError",
    "ClosedError",
    "Deactivated",
    "Direction",
    "Dropped",
    "Event",
    "ForkedError",
    "InputsChanged",
    "InterruptionBegan",
    "InterruptionEnded",
    "InterruptionReason",
    "MayRetry",
    "Mode",
    "NoDeviceError",
    "NoServerError",
    "Number",
    "Option",
    "Permission",
    "PermissionAnswered",
    "Port",
    "Preference",
    "Reply",
    "Route",
    "RouteChanged",
    "RouteReason",
    "ServerBack",
    "ServerLost",
    "Session",
    "SessionError",
    "SessionType",
    "SilenceSecondary",
    "State",
    "StateError",
    "SystemResourceError",
    "library_version",
    "set_application",
]
