"""Names and numbers of settings, states, reasons and devices; the numbers are those of avaudiosession.h."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from typing import Any

from . import _library


class SessionType(enum.StrEnum):
    """What a session is for, as one of the types of the web's Audio Session API."""

    AMBIENT = "ambient"
    """Sound that others may cover; it mixes."""
    PLAYBACK = "playback"
    """Music or a film; it interrupts other playback."""
    TRANSIENT = "transient"
    """A short sound, such as a prompt, which lowers others."""
    TRANSIENT_SOLO = "transient-solo"
    """A short sound that interrupts others."""
    PLAY_AND_RECORD = "play-and-record"
    """Recording and playing, such as a call."""
    AUTO = "auto"
    """The settings of a new session."""


class Category(enum.StrEnum):
    """The category of a session, in Apple's words."""

    AMBIENT = "ambient"
    SOLO_AMBIENT = "soloAmbient"
    PLAYBACK = "playback"
    RECORD = "record"
    PLAY_AND_RECORD = "playAndRecord"
    MULTI_ROUTE = "multiRoute"


class Mode(enum.StrEnum):
    """The mode of a session, in Apple's words."""

    DEFAULT = "default"
    VOICE_CHAT = "voiceChat"
    VIDEO_CHAT = "videoChat"
    GAME_CHAT = "gameChat"
    VIDEO_RECORDING = "videoRecording"
    MEASUREMENT = "measurement"
    MOVIE_PLAYBACK = "moviePlayback"
    SPOKEN_AUDIO = "spokenAudio"
    VOICE_PROMPT = "voicePrompt"
    SHORT_FORM_VIDEO = "shortFormVideo"
    DUAL_ROUTE = "dualRoute"


class Option(enum.IntFlag, boundary=enum.KEEP):
    """Options of a category, to be combined with ``|``."""

    MIX_WITH_OTHERS = 0x1
    DUCK_OTHERS = 0x2
    ALLOW_BLUETOOTH_HFP = 0x4
    DEFAULT_TO_SPEAKER = 0x8
    INTERRUPT_SPOKEN_AUDIO_AND_MIX = 0x11
    ALLOW_BLUETOOTH_A2DP = 0x20
    ALLOW_AIRPLAY = 0x40
    OVERRIDE_MUTED_MICROPHONE = 0x80


class Preference(enum.IntEnum):
    """Preferences, which are on or off."""

    INTERRUPTION_ON_ROUTE_DISCONNECT = 1
    """Whether the loss of the output that is played on interrupts the session; on at the beginning."""
    NO_INTERRUPTION_BY_RINGING = 2
    """Whether a call that rings does not interrupt the session; off at the beginning."""


class State(enum.IntEnum):
    """The state of a session."""

    INACTIVE = 0
    ACTIVE = 1
    INTERRUPTED = 2
    LOST = 3
    """The sound server is gone."""


class InterruptionReason(enum.IntEnum):
    """Why a session was interrupted."""

    DEFAULT = 0
    MICROPHONE_MUTED = 2
    ROUTE_DISCONNECTED = 4


class RouteReason(enum.IntEnum):
    """Why a route changed."""

    UNKNOWN = 0
    NEW_DEVICE = 1
    OLD_DEVICE_UNAVAILABLE = 2
    CATEGORY_CHANGED = 3
    OVERRIDE = 4
    WOKE_UP = 6
    NO_SUITABLE_DEVICE = 7
    CONFIGURATION_CHANGED = 8


class Permission(enum.IntEnum):
    """Whether the program may record."""

    UNDETERMINED = 0
    DENIED = 1
    GRANTED = 2


class Direction(enum.IntEnum):
    """A direction of sound."""

    OUTPUT = 0
    INPUT = 1


class Number(enum.IntEnum):
    """Numbers of the devices that a session uses, or would use if it was active."""

    SAMPLE_RATE = 1
    """In Hz."""
    BUFFER_DURATION = 2
    """In seconds."""
    INPUT_LATENCY = 3
    """In seconds, without the buffer."""
    OUTPUT_LATENCY = 4
    """In seconds, without the buffer."""
    INPUT_CHANNELS = 5
    OUTPUT_CHANNELS = 6
    INPUT_VOLUME = 7
    """The user's volume, 0 to 1."""
    OUTPUT_VOLUME = 8
    """The user's volume, 0 to 1."""


@dataclass(frozen=True)
class Port:
    """An input or output of a route."""

    type: str
    """In Apple's words: ``Speaker``, ``Headphones``, ``BluetoothA2DPOutput``, ``Virtual``, …"""
    name: str
    """For people."""
    uid: str
    """The identifier, which a device has again when it returns."""
    channels: int


@dataclass(frozen=True)
class Route:
    """The inputs and outputs of a session at one moment."""

    outputs: tuple[Port, ...]
    inputs: tuple[Port, ...]


def taken_route(reference: int) -> Route:
    """Return the route behind a reference, and release that."""
    try:
        lists = json.loads(_library.one_text(_library.pointer("avas_route_copy_json", reference)))
    finally:
        _library.get("avas_route_unref", reference)
    return Route(_ports(lists["outputs"]), _ports(lists["inputs"]))


def _ports(values: list[dict[str, Any]]) -> tuple[Port, ...]:
    # Later versions may say more about a port.
    return tuple(Port(port["type"], port["name"], port["uid"], port["channels"]) for port in values)
