"""Wrong arguments, wrong times and small things of the Python module; needs a sound server.

Prints what is wrong, and exits with the number of that.
"""

import asyncio
import ctypes
import math
import os
import re
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

import avaudiosession as av
from avaudiosession import _events, _library

failures = 0


def expect(condition: bool, what: str) -> None:
    """Count a statement that does not hold."""
    global failures
    if not condition:
        failures += 1
        print(f"line {sys._getframe(1).f_lineno}: {what}", flush=True)


def raises(kind: type[BaseException], call: Callable[[], object]) -> None:
    """Count a call that does not raise this error itself, with a sentence."""
    global failures
    try:
        result = call()
    except BaseException as error:
        if type(error) is kind and str(error):
            return
        result = error
    failures += 1
    print(f"line {sys._getframe(1).f_lineno}: {kind.__name__} expected: {result!r}", flush=True)


def told_of(events: Iterable[av.Event]) -> list[av.Event]:
    """Return the events without those of routes, which come when they will."""
    return [event for event in events if not isinstance(event, av.RouteChanged | av.InputsChanged)]


def check_header() -> None:
    """The names and numbers of the module are those of the header."""
    path = Path(__file__).parents[2] / "CShims/CAVAudioSession/include/avaudiosession.h"
    header = path.read_text()
    numbers = {name: int(text, 0) for name, text in re.findall(r"#define AVAS_(\w+) \(?(-?\w+)\)?", header)}
    for prefix, kind in {
        "OPTION_": av.Option, "PREFERENCE_": av.Preference, "STATE_": av.State, "PERMISSION_": av.Permission,
        "INTERRUPTION_": av.InterruptionReason, "ROUTE_": av.RouteReason, "NUMBER_": av.Number,
    }.items():  # fmt: skip
        wanted = {name.removeprefix(prefix): number for name, number in numbers.items() if name.startswith(prefix)}
        expect({name: int(member) for name, member in kind.__members__.items()} == wanted, f"{kind}: {wanted}")
    errors = {kind.name: kind.code for kind in [av.SessionError, *av.SessionError.__subclasses__()]}
    wanted = {f"AVAS_{name}": number for name, number in numbers.items() if name.startswith("ERROR_")}
    expect(errors == wanted, f"{errors} are not {wanted}")
    names = {"ACTIVE": "Activated", "INACTIVE": "Deactivated", "PERMISSION": "PermissionAnswered"}
    wanted = {
        number: names.get(name[6:], name[6:].title().replace("_", ""))
        for name, number in numbers.items()
        if name.startswith("EVENT_")
    }
    plain = {number: kind.__name__ for number, kind in _events._PLAIN.items()}
    expect(plain.items() <= wanted.items(), f"{plain} are not {wanted}")
    carrying = {1, 2, 3, 4, 13, 14}
    expect(plain.keys() | carrying == wanted.keys(), f"{plain} are not all of {wanted}")
    expect(all(hasattr(av, name) for name in wanted.values()), f"{wanted}")
    check_prototypes(header)


def check_prototypes(header: str) -> None:
    """The functions of the module have the types of the header, which is read without a preprocessor."""
    declarations = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    declarations = re.sub(r"^#.*?$", "", declarations, flags=re.MULTILINE)
    found = {
        name: (type_of(result, name), tuple(type_of(one, name) for one in arguments.split(",") if one.strip() != "void"))
        for result, name, arguments in re.findall(r"^(\w[\w *]*?)(avas_\w+)\(([^()]*)\);", declarations, re.MULTILINE)
    }
    # One takes a function, which is called directly.
    expect(len(found) == len(re.findall(r"^\w[\w *]*?avas_\w+\(", declarations, re.MULTILINE)) - 1, f"{found.keys()}")
    expect(len(found) > 50, f"{len(found)} functions")
    for name, types in _library._FUNCTIONS.items():
        expect(found.get(name) == types, f"{name}: {types} are not {found.get(name)}")


def type_of(declaration: str, function: str) -> object:
    """The type of ctypes for a result or a parameter as C declares it."""
    words = re.fullmatch(r"\s*(?:const )?(\w+) ?((?:\*(?:const )?\s*)*)\w*\s*", declaration)
    if words is None:
        raise ValueError(f"{function}: {declaration}")
    base, stars = words[1], words[2].count("*")
    if stars == 0:
        return {"void": None}.get(base, getattr(ctypes, "c_" + base.removesuffix("_t"), None))
    if (base, stars) == ("char", 1) and "const" in declaration:
        return ctypes.c_char_p
    if (base, stars) in (("avas_session", 2), ("double", 1)):
        return ctypes.POINTER(ctypes.c_void_p if stars == 2 else ctypes.c_double)
    return ctypes.c_void_p


def check_arguments(session: av.Session) -> None:
    for wrong in ("opera", "", "playback\0", "play\udcff", "x" * 10_000):
        raises(av.ArgumentError, lambda: session.set_type(wrong))
        raises(av.ArgumentError, lambda: session.configure(wrong))
        raises(av.ArgumentError, lambda: session.configure("playback", wrong))
    raises(av.ArgumentError, lambda: session.configure("playback", "default\0"))
    for strange in (None, 7, b"playback", object()):
        raises(TypeError, lambda: session.set_type(strange))
        raises(TypeError, lambda: session.configure(strange))
    raises(TypeError, lambda: session.configure("playback", "default", "duckOthers"))
    raises(TypeError, lambda: session.configure("playback", None))
    for number in (-1, 2**31, 2**32, 2**70):
        raises(av.ArgumentError, lambda: session.configure("playback", "default", number))
        raises(av.ArgumentError, lambda: session.number(number))
        raises(av.ArgumentError, lambda: session.stream_properties(number))
        raises(av.ArgumentError, lambda: session.preference(number))
        raises(av.ArgumentError, lambda: session.set_preference(number, True))
    for number in (-1, -(2**31), 2**31, 2**64):
        raises(av.ArgumentError, lambda: session.set_playing(number))
    raises(av.ArgumentError, lambda: session.configure("record", "default", av.Option.DUCK_OTHERS))
    raises(av.ArgumentError, lambda: session.set_preference(av.Preference.NO_INTERRUPTION_BY_RINGING, 2))
    raises(av.ArgumentError, lambda: session.activate_later(-1))
    raises(av.ArgumentError, lambda: session.activate_later(2**64))
    raises(av.ArgumentError, lambda: session.wait(math.nan))
    raises(TypeError, lambda: session.wait("1"))
    raises(av.ArgumentError, lambda: session.environment({"KEY": "a\0b"}))
    raises(av.ArgumentError, lambda: av.set_application("org.example.\udcff"))
    raises(TypeError, lambda: av.set_application(None))
    raises(TypeError, lambda: session.environment(7))
    raises(TypeError, lambda: session.number("rate"))
    raises(av.StateError, lambda: av.set_application("org.example.Late"))
    error = av.CallError("A call is in progress.")
    expect((error.code, error.name) == (-5, "AVAS_ERROR_CALL"), "an error has its code")
    expect(isinstance(av.ArgumentError(""), ValueError), "wrong arguments are values")


def check_settings(session: av.Session) -> None:
    session.set_type("transient")
    expect(session.category is av.Category.PLAYBACK and session.mode is av.Mode.DEFAULT, "the category of a prompt")
    expect(session.options == av.Option.DUCK_OTHERS | av.Option.MIX_WITH_OTHERS, f"{session.options}")
    expect(session.preference(av.Preference.INTERRUPTION_ON_ROUTE_DISCONNECT), "the preference at the beginning")
    session.set_preference(av.Preference.INTERRUPTION_ON_ROUTE_DISCONNECT, False)
    expect(not session.preference(av.Preference.INTERRUPTION_ON_ROUTE_DISCONNECT), "the preference")
    route = session.route
    expect(len(route.outputs) == 1 and route.inputs == (), f"{route}")
    expect(route.outputs[0].type == "Virtual" and route.outputs[0].channels == 2, f"{route}")
    expect(route.outputs[0] in session.available.outputs, "the route's output is available")
    expect(session.number(av.Number.SAMPLE_RATE) > 8000, "the rate")
    expect(session.permission is av.Permission.GRANTED, "the permission")
    expect(not session.is_other_audio_playing and not session.should_silence_secondary, "nobody else is heard")
    expect(av.library_version() >= (0, 1, 0), "the version")


def check_streams(session: av.Session) -> None:
    session.configure("playAndRecord", "voiceChat")
    properties = session.stream_properties()
    owner = properties["avaudiosession.owner"]
    expect(properties == {"avaudiosession.owner": owner, "media.role": "phone"} and len(owner) == 16, f"{properties}")
    environment = session.environment({"A": "b=c", "ODD": "\udcff"})
    expect(environment["A"] == "b=c" and environment["ODD"] == "\udcff", f"{environment}")
    expect(environment["PULSE_PROP"] == f"avaudiosession.owner={owner} media.role=phone", f"{environment}")
    expect(session.environment()["PATH"] == os.environ["PATH"], "the environment of the process")
    expect("PULSE_PROP" not in os.environ, "nothing was exported")
    session.export_environment()
    session.set_type("playback")
    session.export_environment()
    told = subprocess.run(["sh", "-c", "echo $PULSE_PROP"], capture_output=True, text=True).stdout.strip()
    expect(told == f"avaudiosession.owner={owner} media.role=music" == os.environ["PULSE_PROP"], told)


def check_events(session: av.Session) -> None:
    session.events()
    before = time.monotonic()
    with session.active() as same:
        expect(same is session and session.state is av.State.ACTIVE, "active")
    expect(session.state is av.State.INACTIVE, "inactive")
    told = told_of(session.events())
    expect([type(event) for event in told] == [av.Activated, av.Deactivated], f"{told}")
    expect(all(before <= event.time <= time.monotonic() for event in told), f"{told}")

    def fail(event: av.Event) -> None:
        raise KeyError(event)

    with session.active():
        pass
    for call in (session.dispatch, session.attach):
        raises(TypeError, lambda: call(None))
    raises(KeyError, lambda: session.dispatch(fail))
    expect(told_of(session.events()) != [], "the event behind the failure stays")
    session.activate_later(7)
    replies = []
    while not replies and session.wait():
        replies = [event for event in session.events() if isinstance(event, av.Reply)]
    expect(replies[0].cookie == 7 and replies[0].error is None, f"{replies}")
    try:
        with session.active():
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        expect(session.state is av.State.INACTIVE, "Ctrl-C deactivates")
    session.set_playing(1)
    session.activate()
    raises(av.BusyError, session.deactivate)
    session.set_playing(0)


def check_routes(session: av.Session) -> None:
    before = session.route
    with session.active():
        session.events()
        session.configure(av.Category.AMBIENT)
        changes: list[av.Event] = []
        while not changes and session.wait(30):
            changes = [event for event in session.events() if isinstance(event, av.RouteChanged)]
    match changes:
        case [av.RouteChanged(reason=av.RouteReason.CATEGORY_CHANGED, previous=previous), *_]:
            expect(previous == before, f"{previous} is not {before}")
        case _:
            expect(False, f"{changes}")


def check_many_events(session: av.Session) -> None:
    for _ in range(130):
        session.activate()
        session.deactivate()
    events = session.events()
    expect(isinstance(events[0], av.Dropped) and len(events) == 257, f"{len(events)} events, {events[0]} in front")


def check_glib() -> None:
    try:
        from gi.repository import GLib
    except ImportError:
        return
    told: list[type[av.Event]] = []
    raised: list[type[BaseException]] = []
    loop = GLib.MainLoop()

    def handle(event: av.Event) -> None:
        told.append(type(event))
        if isinstance(event, av.Deactivated):
            loop.quit()
        raise KeyError(event)

    sys.excepthook = lambda kind, *_: raised.append(kind)
    with av.Session() as session:
        source = session.attach(handle)
        session.activate()
        GLib.idle_add(session.deactivate)
        GLib.timeout_add_seconds(60, loop.quit)
        loop.run()
    sys.excepthook = sys.__excepthook__
    expect(av.Activated in told and av.Deactivated in told, f"{told}")
    expect(set(raised) == {KeyError} and len(raised) == len(told), f"{raised}")
    expect(GLib.MainContext.default().find_source_by_id(source) is None, "a closed session has no source")


def check_another_thread(session: av.Session) -> None:
    """A thread that waits for events ends when another one closes the session."""
    results: list[object] = []

    def visit() -> None:
        try:
            results.append(told_of(session))
        except BaseException as error:
            results.append(error)

    session.events()
    thread = threading.Thread(target=visit)
    thread.start()
    session.close()
    thread.join()
    expect(results == [[]], f"{results}")


async def check_asyncio() -> None:
    with av.Session() as session:
        session.set_type("playback")
        await asyncio.gather(session.activate_async(), session.activate_async())
        expect(session.state is av.State.ACTIVE, "active in asyncio")
        expect(await session.request_permission_async(), "the permission in asyncio")
        await check_questions(session)
        expect([type(event) for event in told_of(session.events())] == [av.Activated], "answers are no events")
        async with asyncio.timeout(30):
            waiting = asyncio.ensure_future(first(session))
            await asyncio.sleep(0)
            await session.deactivate_async()
            expect(isinstance(await waiting, av.Deactivated), "the event")
            cancelled = asyncio.ensure_future(first(session))
            await asyncio.sleep(0)
            cancelled.cancel()
            try:
                await cancelled
            except asyncio.CancelledError:
                pass
            left = asyncio.ensure_future(collect(session))
            await asyncio.sleep(0)
            session.close()
            expect(await left == [], "the events of a closed session end")
        try:
            await session.activate_async()
            expect(False, "a closed session")
        except av.ClosedError:
            pass


async def check_questions(session: av.Session) -> None:
    """What waits has a twin that does not block the loop, with the same answer."""
    await session.set_type_async("ambient")
    expect(session.category is av.Category.AMBIENT, "a type in asyncio")
    await session.configure_async("playback", options=av.Option.MIX_WITH_OTHERS)
    expect(session.options == av.Option.MIX_WITH_OTHERS, "settings in asyncio")
    await session.set_type_async("playback")
    expect(await session.route_async() == session.route, "the route in asyncio")
    expect(await session.available_async() == session.available, "the ports in asyncio")
    expect(await session.number_async(av.Number.SAMPLE_RATE) == session.number(av.Number.SAMPLE_RATE) > 0, "a number")
    expect(await session.permission_async() is session.permission, "the permission in asyncio")
    expect(await session.is_other_audio_playing_async() == session.is_other_audio_playing, "other audio in asyncio")
    expect(await session.should_silence_secondary_async() == session.should_silence_secondary, "the hint in asyncio")
    for wrong in (session.set_type_async("opera"), session.configure_async("record", "moviePlayback")):
        try:
            await wrong
            expect(False, "a wrong setting in asyncio")
        except av.ArgumentError:
            pass
    try:
        await session.number_async(99)  # type: ignore[arg-type]
        expect(False, "a wrong number in asyncio")
    except av.ArgumentError:
        pass


def check_closed_loop() -> None:
    """A loop that is closed while somebody waits in it is not the last one."""
    with av.Session() as session:
        loop = asyncio.new_event_loop()
        task = loop.create_task(session._waiters.event())
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
        asyncio.run(session.activate_async())
        expect(session.state is av.State.ACTIVE and not task.done(), "active in the second loop")
        asyncio.run(session.deactivate_async())


async def collect(session: av.Session) -> list[av.Event]:
    return told_of([event async for event in session])


async def first(session: av.Session) -> av.Event | None:
    async for event in session:
        if told_of([event]):
            return event
    return None


def check_closed() -> None:
    session = av.Session()
    session.close()
    session.close()
    session.__del__()
    for call in (
        session.activate, session.deactivate, session.activate_later, session.deactivate_later, session.warm_up,
        session.fileno, session.wait, session.environment, session.stream_properties, session.export_environment,
        session.request_permission_later, lambda: session.set_type("playback"), lambda: session.configure("playback"),
        lambda: session.category, lambda: session.mode, lambda: session.options, lambda: session.state,
        lambda: session.route, lambda: session.available, lambda: session.number(1), lambda: session.permission,
        lambda: session.set_playing(0), lambda: session.preference(1), lambda: session.set_preference(1, True),
        lambda: session.is_other_audio_playing, lambda: session.should_silence_secondary,
        lambda: session.attach(print),
    ):  # fmt: skip
        raises(av.ClosedError, call)
    expect(session.events() == [] and session.dispatch(print) == 0 and list(session) == [], "a closed session is mute")


def check_fork() -> None:
    session = av.Session()
    session.activate()
    before = failures
    child = os.fork()
    if child == 0:
        for call in (session.activate, session.wait, session.fileno, lambda: session.state, av.Session):
            raises(av.ForkedError, call)
        session.close()
        os._exit(failures - before)
    expect(os.waitpid(child, 0)[1] == 0, "the child")
    expect(session.state is av.State.ACTIVE, "the parent is as it was")
    session.deactivate()
    session.close()


def main() -> None:
    check_header()
    session = av.Session()
    expect(not session.wait(0) and not session.wait(0.01), "there is no event")
    for check in (check_arguments, check_settings, check_streams, check_events, check_routes):
        check(session)
    check_many_events(session)
    check_another_thread(session)
    check_closed()
    check_glib()
    asyncio.run(check_asyncio())
    check_closed_loop()
    check_fork()


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        sys.exit(99)
    sys.exit(failures)
