extension PlayerService {
    /// D-Bus: the answer of `Introspect`, for tools.
    static let description = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
         <interface name="org.freedesktop.DBus.Introspectable">
          <method name="Introspect"><arg name="data" type="s" direction="out"/></method>
         </interface>
         <interface name="org.freedesktop.DBus.Properties">
          <method name="Get"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
          <method name="GetAll"><arg type="s" direction="in"/><arg type="a{sv}" direction="out"/></method>
          <method name="Set"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="in"/></method>
          <signal name="PropertiesChanged"><arg type="s"/><arg type="a{sv}"/><arg type="as"/></signal>
         </interface>
         <interface name="org.mpris.MediaPlayer2">
          <method name="Raise"/><method name="Quit"/>
        \(list([("CanQuit", "b"), ("CanRaise", "b"), ("HasTrackList", "b"), ("Identity", "s"), ("DesktopEntry", "s"),
            ("SupportedUriSchemes", "as"), ("SupportedMimeTypes", "as")], access: "read"))
         </interface>
         <interface name="org.mpris.MediaPlayer2.Player">
          <method name="Next"/><method name="Previous"/><method name="Pause"/><method name="PlayPause"/>
          <method name="Stop"/><method name="Play"/>
          <method name="Seek"><arg name="Offset" type="x" direction="in"/></method>
          <method name="SetPosition"><arg name="TrackId" type="o" direction="in"/><arg name="Position" type="x" direction="in"/></method>
          <method name="OpenUri"><arg name="Uri" type="s" direction="in"/></method>
          <signal name="Seeked"><arg name="Position" type="x"/></signal>
        \(list([("PlaybackStatus", "s"), ("Metadata", "a{sv}"), ("Position", "x"), ("MinimumRate", "d"),
            ("MaximumRate", "d"), ("CanGoNext", "b"), ("CanGoPrevious", "b"), ("CanPlay", "b"), ("CanPause", "b"),
            ("CanSeek", "b"), ("CanControl", "b")], access: "read"))
        \(list([("LoopStatus", "s"), ("Rate", "d"), ("Shuffle", "b"), ("Volume", "d")], access: "readwrite"))
         </interface>
        </node>
        """

    private static func list(_ properties: [(name: String, type: String)], access: String) -> String {
        properties.map { "  <property name=\"\($0.name)\" type=\"\($0.type)\" access=\"\(access)\"/>" }
            .joined(separator: "\n")
    }
}
