"""An app in Python with a session, for tests: prints what it is told as JSON. The argument names its loop.

It goes on when it may. A second interruption its user does not accept: it activates the session at once.
"""

import asyncio
import json
import sys

import avaudiosession as av


def say(event: str, **fields: object) -> None:
    print(json.dumps({"event": event, **fields}), flush=True)


class Story:
    """What the app does about events, whatever loop brings them."""

    def __init__(self) -> None:
        self.interruptions = 0

    def activates(self, event: av.Event) -> bool:
        """Print an event; return whether the app activates its session because of it."""
        match event:
            case av.InterruptionBegan():
                self.interruptions += 1
                say("began", application=event.application, pid=event.pid, reason=event.reason)
                return self.interruptions == 2
            case av.InterruptionEnded():
                say("ended", resume=event.should_resume)
                return event.should_resume
        return False


def plain() -> None:
    story = Story()
    with av.Session() as session:
        session.configure(av.Category.PLAYBACK)
        with session.active():
            say("active", loop="plain")
            for event in session:
                if story.activates(event):
                    session.activate()
                    say("active", loop="plain")


async def in_asyncio() -> None:
    story = Story()
    with av.Session() as session:
        session.set_type("playback")
        async with session.active_async():
            say("active", loop="asyncio")
            async for event in session:
                if story.activates(event):
                    await session.activate_async()
                    say("active", loop="asyncio")


def in_glib() -> None:
    from gi.repository import GLib

    story = Story()
    loop = GLib.MainLoop()
    with av.Session() as session:

        def handle(event: av.Event) -> None:
            if isinstance(event, av.Reply) and event.error is None:
                say("active", loop="glib")
            elif story.activates(event):
                session.activate_later(2)

        session.attach(handle)
        session.set_type(av.SessionType.PLAYBACK)
        session.activate_later(1)
        try:
            loop.run()
        finally:
            session.deactivate()


def main() -> None:
    av.set_application("org.example.Reader", "Reader", "book")
    match sys.argv[1]:
        case "plain":
            plain()
        case "asyncio":
            asyncio.run(in_asyncio())
        case "glib":
            in_glib()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        say("leaves")
        sys.exit(130)
