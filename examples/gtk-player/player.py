"""A music player with GTK 4 and GStreamer that takes part in audio sessions: player.py FILE

It pauses while another player plays or somebody calls, says who interrupted it, and goes on afterwards. It pauses when the
headphones are unplugged. GStreamer's stream belongs to the session without a word, as it is of the same process.
"""

import pathlib
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, Gst, Gtk  # noqa: E402

import avaudiosession as avas  # noqa: E402


ACTIVATION = 1
"""The cookie of activations, by which their replies are told from those of deactivations."""


class Player:
    """The window, the pipeline and the session of one file."""

    def __init__(self, app: Gtk.Application, file: pathlib.Path, session: avas.Session) -> None:
        self.session = session
        self.wants_to_play = False
        self.sound = Gst.ElementFactory.make("playbin")
        self.sound.set_property("uri", file.absolute().as_uri())
        self.sound.set_property("audio-sink", Gst.ElementFactory.make("pulsesink"))
        bus = self.sound.get_bus()
        bus.add_signal_watch()
        bus.connect("message::eos", lambda *_: self.stop("At the end"))
        bus.connect("message::error", lambda _, message: self.stop(message.parse_error()[0].message))

        self.status = Gtk.Label(label="Ready", wrap=True)
        self.position = Gtk.ProgressBar(show_text=True)
        self.button = Gtk.Button(icon_name="media-playback-start-symbolic", halign=Gtk.Align.CENTER)
        self.button.connect("clicked", lambda _: self.pause("Paused") if self.wants_to_play else self.play())
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=16, valign=Gtk.Align.CENTER)
        title = Gtk.Label(label=file.stem, css_classes=["title-1"])
        for widget in (title, self.status, self.position, self.button):
            widget.set_margin_start(32)
            widget.set_margin_end(32)
            box.append(widget)
        Gtk.ApplicationWindow(application=app, title="Tunes", child=box, default_width=420, default_height=260).present()
        GLib.timeout_add(250, self.show_position)
        session.attach(self.handle)
        self.play()

    def show(self, status: str, *, is_playing: bool) -> None:
        self.status.set_label(status)
        self.button.set_icon_name(f"media-playback-{'pause' if is_playing else 'start'}-symbolic")
        print(status, flush=True)

    def show_position(self) -> bool:
        _, position = self.sound.query_position(Gst.Format.TIME)
        _, duration = self.sound.query_duration(Gst.Format.TIME)
        self.position.set_fraction(min(1.0, position / duration) if duration > 0 else 0.0)
        seconds = max(0, position) // Gst.SECOND
        self.position.set_text(f"{seconds // 60}:{seconds % 60:02}")
        return True

    def play(self) -> None:
        """Ask for the session; the sound begins with the reply, as a user interface must not wait."""
        self.wants_to_play = True
        self.session.activate_later(ACTIVATION)

    def pause(self, status: str) -> None:
        """Pause because the user wants to: the interrupted may go on."""
        self.wants_to_play = False
        self.sound.set_state(Gst.State.PAUSED)
        self.session.deactivate_later()
        self.show(status, is_playing=False)

    def stop(self, status: str) -> None:
        self.pause(status)
        self.sound.set_state(Gst.State.NULL)

    def handle(self, event: avas.Event) -> None:
        match event:
            case avas.Reply(cookie=cookie, error=None) if cookie == ACTIVATION and self.wants_to_play:
                self.sound.set_state(Gst.State.PLAYING)
                self.show("Playing", is_playing=True)
            case avas.Reply(cookie=cookie, error=error) if cookie == ACTIVATION and error and self.wants_to_play:
                self.show(str(error), is_playing=False)
            case avas.InterruptionBegan(reason=avas.InterruptionReason.ROUTE_DISCONNECTED):
                self.sound.set_state(Gst.State.PAUSED)
                self.wants_to_play = False  # not from the speakers, unless the user wants to
                self.show("Paused: the output was unplugged", is_playing=False)
            case avas.InterruptionBegan():
                self.sound.set_state(Gst.State.PAUSED)  # it is silent already
                self.show(f"Interrupted by {event.application or 'another program'}", is_playing=False)
            case avas.InterruptionEnded(should_resume=True) | avas.MayRetry() if self.wants_to_play:
                self.session.activate_later(ACTIVATION)
            case avas.InterruptionEnded() if self.wants_to_play:
                self.wants_to_play = False
                self.show("Paused", is_playing=False)
            case avas.ServerLost():
                self.sound.set_state(Gst.State.NULL)
                self.show("The sound server is gone", is_playing=False)
            case avas.ServerBack():
                self.session.set_type(avas.SessionType.PLAYBACK)  # it has the settings of a new one
                if self.wants_to_play:
                    self.session.activate_later(ACTIVATION)


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: player.py FILE", file=sys.stderr)
        return 64
    file = pathlib.Path(sys.argv[1])
    if not file.is_file():
        print(f"player.py: {file} cannot be read", file=sys.stderr)
        return 66
    avas.set_application("org.example.Tunes", "Tunes", "audio-x-generic")
    Gst.init(None)
    app = Gtk.Application(application_id="org.example.Tunes", flags=Gio.ApplicationFlags.NON_UNIQUE)
    with avas.Session() as session:
        session.set_type(avas.SessionType.PLAYBACK)
        players: list[Player] = []
        app.connect("activate", lambda app: players.append(Player(app, file, session)))
        for signal in (2, 15):  # Ctrl-C, SIGTERM
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, signal, app.quit)
        app.run([])
        for player in players:
            player.sound.set_state(Gst.State.NULL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
