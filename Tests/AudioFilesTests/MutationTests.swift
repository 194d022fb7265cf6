import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// Damages small files of every kind at random and reads what is left: nothing may crash, hang or grow without bound.
///
/// The seed is fixed, so a failure repeats. AVFAUDIO_FUZZ_SECONDS (default 2) says for how long with each format; CI
/// takes 4, `make check` 10, `make soak` 300 under AddressSanitizer. AVFAUDIO_FUZZ_KEEP begins the names of files
/// that hold what is being read, for a crash.
@Suite(.limited) struct MutationTests {
    private let folder = TemporaryFolder()

    private static var seconds: Double {
        ProcessInfo.processInfo.environment["AVFAUDIO_FUZZ_SECONDS"].flatMap(Double.init) ?? 2
    }

    private func mutated(_ file: [UInt8], _ noise: inout SeededGenerator) -> [UInt8] {
        var file = file
        for _ in 0..<Int.random(in: 1...6, using: &noise) {
            guard !file.isEmpty else { return file }
            // Headers are where damage matters most.
            let reach = Bool.random(using: &noise) ? min(file.count, 100) : file.count
            let place = Int.random(in: 0..<reach, using: &noise)
            switch Int.random(in: 0..<6, using: &noise) {
            case 0: file[place] = UInt8.random(in: 0...255, using: &noise)
            case 1: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &noise)
            case 2: for index in place..<min(place + 4, file.count) { file[index] = 0xFF }
            case 3: for index in place..<min(place + 4, file.count) { file[index] = 0 }
            case 4: file.removeSubrange(place..<min(place + Int.random(in: 1...64, using: &noise), file.count))
            default: file.insert(contentsOf: file[place..<min(place + 16, file.count)], at: place)
            }
        }
        return file
    }

    /// Opens, reads and seeks; returns whether it could be opened.
    private func exercise(_ file: [UInt8], _ noise: inout SeededGenerator) -> Bool {
        guard let reader = try? AudioFileReader(bytes: file) else { return false }
        let channels = reader.format.channels
        var buffer = [Float](repeating: 0, count: 1000 * channels)
        var total: Int64 = 0
        while total < 200_000, let count = try? reader.read(into: &buffer, frames: 1000), count > 0 {
            total += Int64(count)
        }
        #expect(total <= reader.format.frames)
        for _ in 0..<3 where reader.format.frames > 0 {
            let place = Int64.random(in: 0...min(reader.format.frames, 1 << 40), using: &noise)
            guard (try? reader.seek(toFrame: place)) != nil else { continue }
            _ = try? reader.read(into: &buffer, frames: 1000)
        }
        return true
    }

    /// A file of a kind that only the `ffmpeg` program makes.
    private func reference(_ file: ReferenceFile) throws -> [UInt8] {
        let path = folder.file(file.name)
        try FFmpegProgram.encode(
            sweep(frames: 3000, channels: file.channels, rate: Double(file.rate)), channels: file.channels,
            rate: file.rate, file.arguments, to: path)
        return bytes(path)
    }

    /// The formats, by the file's container; those that nobody here can write are left out.
    static let formats: [String] = {
        let kinds = Kind.all + (Kind.hasFFmpeg ? Kind.packets : [])
        let references = Kind.hasFFmpeg && FFmpegProgram.isInstalled ? ReferenceFile.all.map(\.format) : []
        let others =
            (Kind.hasFFmpeg ? [AudioContainer.amr.rawValue] : [])
            + (SoXProgram.isInstalled ? [AudioContainer.rare.rawValue] : [])
        return Set(kinds.map(\.container.rawValue) + references + others).sorted()
    }()

    private func files(of format: String) throws -> [[UInt8]] {
        let kinds = (Kind.all + (Kind.hasFFmpeg ? Kind.packets : [])).filter { $0.container.rawValue == format }
        let written = try kinds.enumerated().map { index, kind in
            let path = folder.file("\(index)")
            try kind.write(sweep(frames: 3000, channels: 2, rate: kind.rate), channels: 2, to: path)
            return bytes(path)
        }
        if format == AudioContainer.amr.rawValue {
            return [
                amr("#!AMR\n", mode: 7, size: 31, blocks: 20), amr("#!AMR-WB\n", mode: 8, size: 60, blocks: 20),
            ]
        }
        if format == AudioContainer.rare.rawValue {
            return try ReferenceTests.rare.compactMap { type, channels in
                let path = folder.file(type)
                let samples = noise16(3000 * channels)
                let isMade = try SoXProgram.encode(samples, channels: channels, rate: 8000, type: type, to: path)
                return isMade ? bytes(path) : nil
            }
        }
        guard Kind.hasFFmpeg && FFmpegProgram.isInstalled else { return written }
        return try written + ReferenceFile.all.filter { $0.format == format }.map(reference)
    }

    @Test(.limited(minutes: 3 + seconds / 60), arguments: formats)
    func damagedFilesNeitherCrashNorHang(format: String) throws {
        let files = try files(of: format)
        var noise = SeededGenerator(seed: 42)
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(Self.seconds)
        let kept = ProcessInfo.processInfo.environment["AVFAUDIO_FUZZ_KEEP"]
        var tried = 0
        var opened = 0
        var slowest = Duration.zero
        while clock.now < end {
            let file = mutated(files[tried % files.count], &noise)
            let begin = clock.now
            if let kept { try Data(file).write(to: URL(fileURLWithPath: "\(kept)-\(format)")) }
            if exercise(file, &noise) { opened += 1 }
            slowest = max(slowest, clock.now - begin)
            tried += 1
        }
        #expect(slowest < hangLimit)
        #expect(tried > files.count && opened > 0)
        print("damaged \(format): \(tried) tried, \(opened) opened, slowest \(slowest)")
    }
}

extension ReferenceFile {
    fileprivate static let all = lossless + lossy

    /// The container by the name's extension, as ``AudioContainer`` calls it where it does.
    fileprivate var format: String {
        switch name.split(separator: ".").last.map(String.init) ?? name {
        case "m4a", "mp4", "mov", "3gp": AudioContainer.mpeg4.rawValue
        case "aifc": AudioContainer.aifc.rawValue
        case "mp3", "mp2": AudioContainer.mpeg.rawValue
        case "ogg", "opus", "oga": AudioContainer.ogg.rawValue
        case "aac": AudioContainer.adts.rawValue
        case "mka", "mkv", "webm": AudioContainer.matroska.rawValue
        case "wma": AudioContainer.asf.rawValue
        case let other: other
        }
    }
}
