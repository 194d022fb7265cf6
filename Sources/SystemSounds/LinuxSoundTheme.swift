internal import Foundation

/// The desktop's sounds by their freedesktop names, such as `message-new-instant`: a Linux addition.
///
/// The lookup follows the sound theme specification: the folders `sounds` in `$XDG_DATA_HOME` and `$XDG_DATA_DIRS`,
/// first the theme, then its parent themes, then `freedesktop`. A name that no theme has is shortened at its last dash:
/// `message-new-instant`, `message-new`, `message`.
public enum LinuxSoundTheme {
    /// Creates a system sound from a theme's sound, in any format that players can read.
    ///
    /// The identifier works with all functions for system sounds. The call waits for the disk, on the calling thread.
    ///
    /// - Parameters:
    ///   - name: A name of the sound naming specification, such as `bell`.
    ///   - theme: The name of a theme's folder.
    ///   - outSystemSoundID: Receives the sound; 0 after an error.
    /// - Returns: As ``AudioServicesCreateSystemSoundID(_:_:)``; ``kAudioServicesSystemSoundUnspecifiedError`` if the
    ///   themes have no such sound, or disable it.
    ///
    /// Linux: the freedesktop sound theme specification.
    @discardableResult
    public static func createSystemSoundID(
        named name: String, theme: String = "freedesktop", _ outSystemSoundID: UnsafeMutablePointer<SystemSoundID>
    ) -> OSStatus {
        outSystemSoundID.pointee = 0
        guard let file = url(ofSoundNamed: name, theme: theme) else { return kAudioServicesSystemSoundUnspecifiedError }
        let (status, id) = SystemSoundService.shared.create(file, accepting: .all)
        outSystemSoundID.pointee = id
        return status
    }

    /// The file of a theme's sound; nil if the themes have no such sound, or disable it.
    ///
    /// Reads folders, on the calling thread.
    ///
    /// Linux: the freedesktop sound theme specification.
    public static func url(ofSoundNamed name: String, theme: String = "freedesktop") -> URL? {
        url(ofSoundNamed: name, theme: theme, environment: ProcessInfo.processInfo.environment)
    }

    /// The file of a theme's sound under the given environment variables.
    package static func url(ofSoundNamed name: String, theme: String, environment: [String: String]) -> URL? {
        guard isName(name), isName(theme) else { return nil }
        let lookup = SoundThemeLookup(environment: environment)
        let themes = lookup.heirs(of: theme)
        var shorter = Substring(name)
        while !shorter.isEmpty {
            for theme in themes {
                switch lookup.file(String(shorter), in: theme) {
                case .found(let url): return url
                case .disabled: return nil
                case .missing: break
                }
            }
            shorter = shorter.lastIndex(of: "-").map { shorter[..<$0] } ?? ""
        }
        return nil
    }

    /// Whether a name stays inside the folders: letters, digits, `-`, `_` and `.`, not at the beginning.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix(".") && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }
}

/// The folders of sound themes, and their contents.
private struct SoundThemeLookup {
    enum Answer {
        case found(URL)
        case disabled
        case missing
    }

    /// The `sounds` folders, the user's first.
    let folders: [URL]

    init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let home = value("XDG_DATA_HOME") ?? value("HOME").map { $0 + "/.local/share" }
        let system = value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        folders = ([home].compactMap { $0 } + system.split(separator: ":").map(String.init))
            .filter { $0.hasPrefix("/") }
            .map { URL(fileURLWithPath: $0).appendingPathComponent("sounds") }
    }

    /// A theme and its parent themes, each once, and `freedesktop` at the end.
    func heirs(of theme: String) -> [String] {
        var themes: [String] = []
        var open = [theme]
        while !open.isEmpty {
            let next = open.removeFirst()
            guard next != "freedesktop", !themes.contains(next), themes.count < 16 else { continue }
            themes.append(next)
            open += index(of: next)["Inherits"] ?? []
        }
        return themes + ["freedesktop"]
    }

    /// Looks up a sound in one theme.
    func file(_ name: String, in theme: String) -> Answer {
        let places = (index(of: theme)["Directories"] ?? []) + ["stereo", ""]
        for folder in folders {
            for place in places {
                let base = folder.appendingPathComponent(theme).appendingPathComponent(place).appendingPathComponent(
                    name)
                for suffix in ["disabled", "oga", "ogg", "wav"] {
                    let url = base.appendingPathExtension(suffix)
                    guard FileManager.default.fileExists(atPath: url.path) else { continue }
                    return suffix == "disabled" ? .disabled : .found(url)
                }
            }
        }
        return .missing
    }

    /// The lists `Inherits` and `Directories` of a theme's `index.theme`.
    private func index(of theme: String) -> [String: [String]] {
        for folder in folders {
            let file = folder.appendingPathComponent(theme).appendingPathComponent("index.theme")
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            var lists: [String: [String]] = [:]
            for line in text.split(whereSeparator: \.isNewline) {
                let pair = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                guard pair.count == 2, ["Inherits", "Directories"].contains(pair[0]) else { continue }
                lists[pair[0]] = pair[1].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                    .filter { !$0.isEmpty && !$0.contains("..") && !$0.hasPrefix("/") }
            }
            return lists
        }
        return [:]
    }
}
