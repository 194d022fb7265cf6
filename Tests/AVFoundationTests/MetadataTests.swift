import AVFoundation
import TestSupport
import Testing

@Suite("What a file says about its sound", .limited)
struct MetadataTests {
    /// Writes a file, and removes it afterwards.
    private func withFile(_ name: String, _ data: Data, _ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent(name)
        try data.write(to: url)
        try await body(url)
    }

    private static var sound: TaggedSound {
        var sound = TaggedSound()
        sound.add("TIT2", "Prélude")
        sound.add("TPE1", "A. Tester")
        sound.add("TALB", "Tests")
        sound.add("TRCK", "3")
        sound.add("TDRC", "2019-05")
        sound.add("TBPM", "97.5")
        sound.add(cover: TaggedSound.picture, type: "image/png")
        return sound
    }

    @Test("Common keys and native identifiers name the same items")
    func names() async throws {
        try await withFile("a.mp3", Self.sound.data) { url in
            let asset = AVURLAsset(url: url)
            let (common, all, formats) = try await asset.load(.commonMetadata, .metadata, .availableMetadataFormats)
            func text(_ key: AVMetadataKey) -> String? { common.first { $0.commonKey == key }?.stringValue }
            #expect(text(.commonKeyTitle) == "Prélude" && text(.commonKeyArtist) == "A. Tester")
            #expect(text(.commonKeyAlbumName) == "Tests" && formats == [.id3Metadata])
            let title = try #require(common.first { $0.commonKey?.rawValue == "title" })
            #expect(title.identifier == .id3MetadataTitleDescription && title.keySpace == .id3)
            #expect((title.key as? NSString) == "TIT2" && (title.value as? NSString) == "Prélude")
            #expect((title.key as? String) == "TIT2" && (title.value as? String) == "Prélude")
            // What is not common is there, under the tag's own name.
            #expect(all.count == 7 && common.count == 5)
            let beats = AVMetadataItem.metadataItems(from: all, filteredByIdentifier: .id3MetadataBeatsPerMinute)
            #expect(beats.map(\.numberValue) == [97.5] && beats.first?.commonKey == nil)
            let titles = AVMetadataItem.metadataItems(from: all, filteredByIdentifier: .commonIdentifierTitle)
            #expect(titles == [title])
            #expect(AVMetadataItem.metadataItems(from: all, withKey: "TIT2", keySpace: .id3) == [title])
            let key = AVMetadataKey.commonKeyTitle
            #expect(AVMetadataItem.metadataItems(from: all, withKey: key, keySpace: .common) == [title])
            let (tag, none) = (
                try await asset.loadMetadata(for: .id3Metadata), try await asset.loadMetadata(for: .iTunesMetadata)
            )
            #expect(tag == all && none.isEmpty)
        }
    }

    @Test("An item's value is a text, a number, a date or a picture")
    func values() async throws {
        try await withFile("a.mp3", Self.sound.data) { url in
            let items = AVURLAsset(url: url).metadata
            func item(_ identifier: AVMetadataIdentifier) throws -> AVMetadataItem {
                try #require(items.first { $0.identifier == identifier })
            }
            let title = try item(.id3MetadataTitleDescription)
            let text = try await title.load(.stringValue)
            #expect(text == "Prélude" && title.numberValue == nil)
            #expect(title.status(of: .stringValue) == .loaded("Prélude"))
            #expect(try item(.id3MetadataTrackNumber).numberValue == 3)
            #expect(try item(.id3MetadataTrackNumber).dateValue == nil)
            let date = try item(.id3MetadataRecordingTime)
            let day = try await date.load(.dateValue)
            #expect(day == Date(timeIntervalSince1970: 1_556_668_800))
            let picture = try item(.id3MetadataAttachedPicture)
            let data = try await picture.load(.dataValue)
            #expect(data == TaggedSound.picture && picture.stringValue == nil)
            #expect((picture.value as? Data) == TaggedSound.picture)
            #expect(picture.commonKey == .commonKeyArtwork && picture.dataType?.hasSuffix("PNG") == true)
        }
    }

    @Test("Metadata are loaded for themselves, and duration without them")
    func apart() async throws {
        try await withFile("a.mp3", Self.sound.data) { url in
            let asset = AVURLAsset(url: url)
            let duration = try await asset.load(.duration)
            #expect(duration.seconds > 0.9)
            #expect(asset.status(of: .metadata) == .notYetLoaded)
            #expect(asset.statusOfValue(forKey: "commonMetadata", error: nil) == .unknown)
            await withCheckedContinuation { continuation in
                asset.loadValuesAsynchronously(forKeys: ["commonMetadata"]) { continuation.resume() }
            }
            #expect(asset.statusOfValue(forKey: "metadata", error: nil) == .loaded)
            #expect(asset.status(of: .lyrics) == .loaded(nil))
        }
    }

    @Test("A sound without tags has no metadata, and what is no sound has an error")
    func without() async throws {
        let signal = TestSignal.sine(frequency: 440, level: -12, seconds: 0.1, sampleRate: 44_100)
        try await withFile("a.wav", signal.wavData) { url in
            let asset = AVURLAsset(url: url)
            let items = try await asset.load(.metadata)
            #expect(items.isEmpty && asset.availableMetadataFormats.isEmpty)
        }
        try await withFile("a.mp3", Data("no sound, but a text".utf8)) { url in
            let asset = AVURLAsset(url: url)
            await #expect(throws: NSError.self) { try await asset.load(.commonMetadata) }
            #expect(asset.commonMetadata.isEmpty && asset.creationDate == nil)
        }
    }

    @Test("A stream's tags are read with its beginning")
    func stream() async throws {
        try await withWebServer { web in
            let file = WebFile(data: Self.sound.data, type: "audio/mpeg")
            web.on("/a.mp3") { file.answer($0, $1) }
            let asset = AVURLAsset(url: web.url("/a.mp3"))
            let (duration, items) = try await asset.load(.duration, .commonMetadata)
            #expect(duration.seconds > 0.9)
            #expect(items.first { $0.commonKey == .commonKeyTitle }?.stringValue == "Prélude")
            #expect(items.first { $0.commonKey == .commonKeyArtwork }?.dataValue == TaggedSound.picture)
        }
    }
}
