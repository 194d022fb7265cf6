internal import Foundation

/// The sounds of the desktop by their freedesktop names, such as `message-new-instant`: a Linux addition.
///
/// They are looked for where the sound theme specification says: in `sounds` of `$XDG_DATA_HOME` and `$XDG_DATA_DIRS`,
/// in the theme, those that it inherits, and `freedesktop`. A name that no theme has is shortened at its last dash:
/// `message-new-instant`, `message-new`, `message`.
public enum LinuxSoundTheme {
    /// Makes a system sound of a theme's sound, in any format that players can read.
    ///
    /// Play, dispose and its properties are those of any other system sound.
    ///
    /// - Parameters:
    ///   - name: A name of the sound naming specification, such as `bell`.
    ///   - theme: A theme's folder.
    ///   - outSystemSoundID: Gets the sound; 0 after an error.
    /// - Returns: As ``AudioServicesCreateSystemSoundID(_:_:)``; ``kAudioServicesSystemSoundUnspecifiedError`` where
    ///   there is no such sound, or it is disabled.
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

    /// The file of a theme's sound; nil where there is none, or it is disabled.
    ///
    /// Reads folders, on the calling thread.
    ///
    /// Linux: the freedesktop sound theme specification.
    public static func url(ofSoundNamed name: String, theme: String = "freedesktop") -> URL? {
        url(ofSoundNamed: name, theme: theme, environment: ProcessInfo.processInfo.environment)
    }

    /// The same with an environment of one's own.
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

    /// Nothing that leads out of the folders.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix(".") && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }
}

/// Where themes are, and what they hold.
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

    /// A theme and what it inherits, each once, `freedesktop` at last.
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

    /// The sound of a name in one theme.
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

    /// The lists in the first group of a theme's description.
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
