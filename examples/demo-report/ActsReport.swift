import Foundation
import SessionHistory
import SoundAnalysis

/// A recording of the three acts, divided into them and measured.
struct ActsReport {
    /// A stretch of the recording in which one thing happens.
    private struct Act {
        let name: String
        let frames: Range<Int>

        /// The middle third, in which every fade is over.
        var middle: Range<Int> { frames.lowerBound + frames.count / 3..<frames.upperBound - frames.count / 3 }
    }

    private let music: Recording
    private let heard: Recording
    private let acts: [Act]
    private let others: [Range<Int>]

    /// Finds the acts in the recording; throws what is missing.
    init(music: Recording, heard: Recording) throws {
        self.music = music
        guard let sound = heard.soundRange() else { throw ActsError("nothing was heard") }
        self.heard = heard[sound]
        let right = Recording(float: self.heard.channels[1], sampleRate: heard.sampleRate, channels: 1)
        others = right.sounds(apart: heard.sampleRate / 2)
        guard others.count == 2 else {
            throw ActsError("not the prompt and the call, but \(others.count) others were heard")
        }
        let names = ["music", "a prompt lowers it", "music", "a call interrupts it", "music, where it was"]
        let edges = [0] + others.flatMap { [$0.lowerBound, $0.upperBound] } + [self.heard.frames]
        acts = zip(names, zip(edges, edges.dropFirst())).map { name, edges in
            Act(name: name, frames: edges.0..<edges.1)
        }
    }

    /// A line for each act: its seconds, and the level of each channel in its middle.
    var table: String {
        let lines = acts.map { act in
            let seconds = (Double(act.frames.lowerBound) / rate, Double(act.frames.upperBound) / rate)
            let levels = [0, 1].map { channel in
                let level = heard.peakLevel(act.middle, channel: channel)
                return level < -80 ? "silent" : String(format: "%.1f dBFS", level)
            }
            return String(format: "%5.2f - %5.2f s  ", seconds.0, seconds.1) + column(act.name, 22)
                + column(levels[0], 12) + levels[1]
        }
        return (["                 " + column("act", 22) + column("music", 12) + "others"] + lines)
            .joined(separator: "\n")
    }

    /// The continuity of the music over the call, in a sentence.
    var continuity: String {
        switch lostFrames {
        case nil: "the music after the call could not be matched with the file"
        case 0?: "the music went on at the frame at which it had stopped"
        case let lost? where lost > 0: "\(lost) frames of the music were never heard"
        case let lost?: "\(-lost) frames of the music were heard twice"
        }
    }

    /// The acts and the levels of both channels as `audiosession timeline` draws them, as SVG.
    func picture() -> String {
        let range = TimeRange(0, Double(heard.frames) / rate, countsSeconds: true)
        let measure = TextMeasure(columns: { $0.count }, cut: { String($0.prefix($1)) })
        let layout = TimelineLayout(
            StoryFold.story(of: story + levels), range: range, now: range.end, width: 1_100, measure: measure)
        return TimelineSVG(layout).text
    }

    /// What the sessions did in each act, at the times at which it was heard.
    private var story: [HistoryEvent] {
        var events: [HistoryEvent] = []
        func add(_ frame: Int, _ name: String, _ app: String, _ fields: [String: HistoryValue] = [:]) {
            let client: HistoryValue = .number(app == "music" ? 1 : app == "prompt" ? 2 : 3)
            let identity: [String: HistoryValue] = ["app": .text(app), "client": client]
            events.append(HistoryEvent(name, at: moment(frame), identity.merging(fields) { $1 }))
        }
        let (prompt, call) = (others[0], others[1])
        for name in ["active", "started"] { add(0, name, "music") }
        for name in ["active", "started"] { add(prompt.lowerBound, name, "prompt") }
        add(prompt.lowerBound, "ducked", "music", ["by": "prompt", "rule": "duckOthers"])
        add(prompt.upperBound, "inactive", "prompt")
        add(prompt.upperBound, "unducked", "music")
        for name in ["active", "started"] { add(call.lowerBound, name, "call") }
        add(call.lowerBound, "interruption", "music", ["type": "began", "by": "call", "rule": "call"])
        add(call.lowerBound, "paused", "music")
        add(call.upperBound, "inactive", "call")
        add(call.upperBound, "interruption", "music", ["type": "ended", "shouldResume": .flag(true)])
        for name in ["active", "started"] { add(call.upperBound, name, "music") }
        add(heard.frames, "inactive", "music")
        return events
    }

    /// The peaks of both channels, twenty a second.
    private var levels: [HistoryEvent] {
        let length = heard.sampleRate / 20
        return ["music (left)", "others (right)"].enumerated().flatMap { channel, name in
            stride(from: 0, to: heard.frames - length, by: length).map { first in
                let peak = heard.peakLevel(first..<first + length, channel: channel)
                return LevelCurve.event(
                    name, peaks: [peak], seconds: Double(length) / rate, end: moment(first + length))
            }
        }
    }

    private func moment(_ frame: Int) -> Moment {
        Moment(wall: Double(frame) / rate, monotonic: Double(frame) / rate)
    }

    private var rate: Double { Double(heard.sampleRate) }

    private func column(_ text: String, _ width: Int) -> String {
        text.padding(toLength: width, withPad: " ", startingAt: 0)
    }

    /// How many frames of the music were skipped over the call; negative if some were repeated, nil if it is not the
    /// music.
    private var lostFrames: Int? {
        let left = heard.channels[0]
        let call = others[1]
        guard let before = left[..<call.upperBound].lastIndex(where: { abs($0) > 0.01 }).map({ $0 - 4_800 }),
            let after = left[(call.lowerBound + call.count / 2)...].firstIndex(where: { abs($0) > 0.01 }).map({
                $0 + 1_200
            }),
            let first = place(of: before, near: before), let second = place(of: after, near: first + 4_800)
        else { return nil }
        // From both matched places towards each other, as far as the recording is the file.
        let end = extent(from: before, at: first, by: 1)
        let start = extent(from: after, at: second, by: -1)
        let lost = (second - after + start) - (first - before + end) - 1
        // Samples near zero are the same in silence and in sound.
        return abs(lost) <= 2 ? 0 : lost
    }

    /// The frame of the file at which 40 ms of the recording are found, within half a second of a guess.
    private func place(of frame: Int, near guess: Int) -> Int? {
        let left = heard.channels[0], file = music.channels[0]
        let length = heard.sampleRate / 25
        guard frame >= 0, frame + length <= left.count else { return nil }
        var best: (place: Int, error: Float)?
        for place in max(
            0, guess - heard.sampleRate / 2)...max(0, min(guess + heard.sampleRate / 2, file.count - length))
        {
            var error: Float = 0
            for index in stride(from: 0, to: length, by: 5) { error += abs(left[frame + index] - file[place + index]) }
            if error < best?.error ?? .infinity { best = (place, error) }
        }
        return best.flatMap { $0.error / Float(length / 5) < 0.002 ? $0.place : nil }
    }

    /// The last frame of the recording that is the file's, going from a matched place in one direction.
    private func extent(from frame: Int, at place: Int, by step: Int) -> Int {
        let left = heard.channels[0], file = music.channels[0]
        var offset = 0
        while left.indices.contains(frame + offset + step), file.indices.contains(place + offset + step),
            abs(left[frame + offset + step] - file[place + offset + step]) < 0.002
        {
            offset += step
        }
        return frame + offset
    }
}

/// The reason why a recording cannot be divided into the three acts.
struct ActsError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension Recording {
    /// The stretches of sound with at least so many frames of silence between them.
    fileprivate func sounds(apart silence: Int) -> [Range<Int>] {
        guard let sound = soundRange() else { return [] }
        var start = sound.lowerBound
        var found: [Range<Int>] = []
        for gap in gaps(minimumFrames: silence) {
            found.append(start..<gap.lowerBound)
            start = gap.upperBound
        }
        return found + [start..<sound.upperBound]
    }
}
