"""libavaudiosession.so.1 through ctypes: the functions with their types, and their errors as exceptions.

References to sessions, events and routes are numbers, which the library looks up: a wrong one is an error.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_uint32, c_uint64, c_void_p
from typing import Any

from ._errors import ArgumentError, error_of

_SONAME = "libavaudiosession.so.1"

try:
    _library = ctypes.CDLL(_SONAME)
except OSError as error:
    raise ImportError(f"{_SONAME}, the C library, cannot be loaded: {error}") from None

# The result and the arguments of each function that is used; see avaudiosession.h.
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "avas_version": (c_uint32, ()),
    "avas_error_name": (c_char_p, (c_int,)),
    "avas_error_code": (c_int, ()),
    "avas_error_message": (c_char_p, ()),
    "avas_free": (None, (c_void_p,)),
    "avas_set_application": (c_int, (c_char_p, c_char_p, c_char_p)),
    "avas_session_open": (c_int, (POINTER(c_void_p),)),
    "avas_session_close": (c_int, (c_void_p,)),
    "avas_session_set_type": (c_int, (c_void_p, c_char_p)),
    "avas_session_set_category": (c_int, (c_void_p, c_char_p, c_char_p, c_uint32)),
    "avas_session_set_type_async": (c_int, (c_void_p, c_char_p, c_uint64)),
    "avas_session_set_category_async": (c_int, (c_void_p, c_char_p, c_char_p, c_uint32, c_uint64)),
    "avas_session_get_category": (c_char_p, (c_void_p,)),
    "avas_session_get_mode": (c_char_p, (c_void_p,)),
    "avas_session_get_options": (c_int, (c_void_p,)),
    "avas_session_set_preference": (c_int, (c_void_p, c_int, c_int)),
    "avas_session_get_preference": (c_int, (c_void_p, c_int)),
    "avas_session_activate": (c_int, (c_void_p, c_uint32)),
    "avas_session_deactivate": (c_int, (c_void_p, c_uint32)),
    "avas_session_activate_async": (c_int, (c_void_p, c_uint32, c_uint64)),
    "avas_session_deactivate_async": (c_int, (c_void_p, c_uint32, c_uint64)),
    "avas_session_warm_up": (c_int, (c_void_p,)),
    "avas_session_get_state": (c_int, (c_void_p,)),
    "avas_session_set_playing": (c_int, (c_void_p, c_int)),
    "avas_session_is_other_audio_playing": (c_int, (c_void_p,)),
    "avas_session_should_silence_secondary": (c_int, (c_void_p,)),
    "avas_session_get_fd": (c_int, (c_void_p,)),
    "avas_session_next_event": (c_void_p, (c_void_p,)),
    "avas_session_get_route": (c_void_p, (c_void_p,)),
    "avas_session_get_available": (c_void_p, (c_void_p,)),
    "avas_session_get_number": (c_int, (c_void_p, c_int, POINTER(c_double))),
    "avas_session_ask_async": (c_int, (c_void_p, c_int, c_uint64)),
    "avas_session_copy_stream_properties": (c_void_p, (c_void_p, c_int)),
    "avas_session_copy_environment": (c_void_p, (c_void_p, c_void_p)),
    "avas_session_get_permission": (c_int, (c_void_p,)),
    "avas_session_request_permission_async": (c_int, (c_void_p, c_uint64)),
    "avas_event_unref": (None, (c_void_p,)),
    "avas_event_get_type": (c_int, (c_void_p,)),
    "avas_event_get_time": (c_uint64, (c_void_p,)),
    "avas_event_get_reason": (c_int, (c_void_p,)),
    "avas_event_get_flag": (c_int, (c_void_p,)),
    "avas_event_get_cookie": (c_uint64, (c_void_p,)),
    "avas_event_get_error": (c_int, (c_void_p,)),
    "avas_event_get_error_message": (c_char_p, (c_void_p,)),
    "avas_event_get_application": (c_char_p, (c_void_p,)),
    "avas_event_get_pid": (c_int32, (c_void_p,)),
    "avas_event_get_previous_route": (c_void_p, (c_void_p,)),
    "avas_event_get_value": (c_double, (c_void_p,)),
    "avas_event_get_route": (c_void_p, (c_void_p,)),
    "avas_route_copy_json": (c_void_p, (c_void_p,)),
    "avas_route_unref": (None, (c_void_p,)),
}

for _name, (_result, _arguments) in _FUNCTIONS.items():
    _function = getattr(_library, _name)
    _function.restype = _result
    _function.argtypes = _arguments


def call(name: str, *arguments: Any) -> int:
    """Call a function that returns a number; below 0 it is an error."""
    result: int = getattr(_library, name)(*arguments)
    if result < 0:
        raise error_of(result, error_name(result), _message())
    return result


def pointer(name: str, *arguments: Any) -> int:
    """Call a function that returns a reference or a block; NULL is an error."""
    result: int | None = getattr(_library, name)(*arguments)
    if result is None:
        code: int = _library.avas_error_code()
        raise error_of(code, error_name(code), _message())
    return result


def get(name: str, *arguments: Any) -> Any:
    """Call a function that cannot fail with these arguments, or whose NULL says that there is nothing."""
    return getattr(_library, name)(*arguments)


def text(name: str, *arguments: Any) -> str | None:
    """Call a function that returns a text, which may be missing."""
    result: bytes | None = getattr(_library, name)(*arguments)
    return None if result is None else result.decode()


def named(name: str, session: int) -> str:
    """Call a function that returns one of a session's names; NULL is an error."""
    result: bytes | None = getattr(_library, name)(session)
    if result is None:
        code: int = _library.avas_error_code()
        raise error_of(code, error_name(code), _message())
    return result.decode()


def error_name(code: int) -> str:
    """Return an error's name in avaudiosession.h."""
    result: bytes = _library.avas_error_name(code)
    return result.decode()


def _message() -> str:
    result: bytes = _library.avas_error_message()
    return result.decode()


def encoded(value: str, what: str) -> bytes:
    """Return a text for the library, which ends texts with a zero byte."""
    if not isinstance(value, str):
        raise TypeError(f"the {what} is a {type(value).__name__} and no str")
    if "\0" in value:
        raise ArgumentError(f"The {what} contains a zero byte.")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"The {what} is not UTF-8.") from None


def integer(value: int, least: int, most: int, what: str) -> int:
    """Return a number that fits into the library's type: ctypes would cut it off."""
    if not isinstance(value, int):
        raise TypeError(f"the {what} is a {type(value).__name__} and no int")
    if not least <= value <= most:
        raise ArgumentError(f"{int(value)} is no {what}.")
    return int(value)


def int32(value: int, what: str) -> int:
    """Return a number that fits into an ``int`` of C."""
    return integer(value, -(2**31), 2**31 - 1, what)


def texts(block: int) -> list[bytes]:
    """Return the texts of a block that a function with "copy" in its name returned, and release it."""
    try:
        result: list[bytes] = []
        address = block
        while (entry := c_char_p.from_address(address).value) is not None:
            result.append(entry)
            address += ctypes.sizeof(c_char_p)
        return result
    finally:
        _library.avas_free(block)


def one_text(block: int) -> str:
    """Return the text that a function with "copy" in its name returned, and release it."""
    try:
        return ctypes.string_at(block).decode()
    finally:
        _library.avas_free(block)


def list_of_texts(values: list[bytes]) -> ctypes.Array[c_char_p]:
    """Return texts as an array for the library, with NULL at its end."""
    return (c_char_p * (len(values) + 1))(*values, None)
