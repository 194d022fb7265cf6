internal import AudioFiles
internal import AudioRealtime
internal import TimeStretch

/// Going faster or slower while the sound plays.
///
/// The decoder is about a second ahead of the listener, too late for a change. So the frames that nobody has rendered
/// are thrown away and made anew. The first of the new ones are faded in over the last of the old ones where both have
/// the same waveform, so that nothing clicks; and they are made before the old ones go, so that nothing is missing
/// meanwhile.
extension PlayerFeed {
    /// How far behind what was rendered the change takes effect, in seconds, for as many tries as it takes: the
    /// renderer does not wait for the decoder.
    private static let leads = [0.01, 0.03, 0.1, 0.3]

    /// Changes the rate, seconds of the file for each second of sound, from about the next frame to be rendered on.
    func changePlaybackRate(to rate: Double) {
        guard rate != playbackRate else { return }
        playbackRate = rate
        do throws(AudioFileError) {
            for lead in Self.leads {
                let isDone = try splice(Int(lead * Double(sampleRate)))
                if isDone { return fill() }
            }
            try append()
        } catch {
            fail(error)
        }
        fill()
    }

    // MARK: An end that comes earlier

    /// Makes the end of the last loop that is wanted anew, as for another rate; false if that is not how it is done.
    ///
    /// At another rate than 1 a round ends some milliseconds before or after its place, and goes over into the next
    /// one: what was decoded cannot be cut there. Usually nobody renders meanwhile, and the sooner the better.
    func remakesEnd() -> Bool {
        guard playbackRate != 1, unwantedFrame != nil else { return false }
        do throws(AudioFileError) {
            for lead in [0] + Self.leads where unwantedFrame != nil {
                if try splice(Int(lead * Double(sampleRate))) { break }
            }
            guard unwantedFrame == nil else {
                // What there is can only be cut, and the decoder be where it was.
                try append()
                return false
            }
        } catch {
            fail(error)
            return false
        }
        fill()
        return true
    }

    /// The last loop that is to be heard: the one that is rendered now, if it should have ended already.
    private var lastWantedLoop: Int {
        let loops = numberOfLoops
        return loops < 0 ? .max : max(loops, place(atVoiceFrame: ring.framesRendered).loop)
    }

    /// The first frame of the voice that belongs to a loop that is not wanted any more; nil if there is none.
    var unwantedFrame: Int? {
        let last = lastWantedLoop
        return share { $0.timeline.firstFrame(beyond: last) }
    }

    // MARK: Seams

    /// One try; false if the renderer was faster.
    private func splice(_ lead: Int) throws(AudioFileError) -> Bool {
        let cut = ring.framesRendered + lead
        let overlap = source.aligner.overlap
        var tail = [Float](repeating: 0, count: overlap * source.channels)
        while ring.copy(from: cut, frames: overlap, to: &tail) < overlap {
            // The file's last frames stay as they are.
            if !fillOnce() { return true }
        }
        let seam = try makeSeam(from: tail, at: wantedPlace(atVoiceFrame: cut))
        try source.seek(toFrame: seam.next.fileFrame, rate: playbackRate)
        var following = 0
        while following < Self.chunkFrames {
            let count = try source.read(
                into: scratch + following * source.channels, frames: Self.chunkFrames - following)
            if count == 0 { break }
            following += count
        }
        let total = seam.frames.withUnsafeBufferPointer {
            splice(
                at: cut, [$0, UnsafeBufferPointer(start: scratch, count: following * source.channels)], isEnd: false)
        }
        guard let total else { return false }
        written = total
        base = cut + overlap
        share {
            $0.hasEnded = false
            $0.timeline.jump(atVoiceFrame: cut, to: seam.first, rate: 1)
            $0.timeline.jump(atVoiceFrame: base, to: seam.next, rate: playbackRate)
        }
        return true
    }

    /// The place that a frame of the voice holds, or the end if it holds a loop that is not wanted any more.
    private func wantedPlace(atVoiceFrame frame: Int) -> PlayerTimeline.Place {
        let place = place(atVoiceFrame: frame)
        let last = lastWantedLoop
        return place.loop > last ? PlayerTimeline.Place(fileFrame: length, loop: last) : place
    }

    /// Without a seam, behind all that was decoded.
    private func append() throws(AudioFileError) {
        let place = place(atVoiceFrame: written)
        try source.seek(toFrame: place.fileFrame, rate: playbackRate)
        base = written
        share { $0.timeline.jump(atVoiceFrame: base, to: place, rate: playbackRate) }
    }

    /// Frames that lead from one waveform to another, with the place of the first of them and of what is to follow.
    private struct Seam {
        var frames: [Float]
        var first: PlayerTimeline.Place
        var next: PlayerTimeline.Place
    }

    /// Fades from `tail` to the file near the given place.
    private func makeSeam(
        from tail: [Float], at place: PlayerTimeline.Place
    ) throws(AudioFileError) -> Seam {
        let aligner = source.aligner
        let start = PlayerTimeline.Place(fileFrame: max(0, place.fileFrame - aligner.reach / 2), loop: place.loop)
        let input = try read(from: start, frames: aligner.reach + aligner.overlap)
        var frames = [Float](repeating: 0, count: tail.count)
        let best = input.withUnsafeBufferPointer { input -> Int in
            guard let input = input.baseAddress else { return 0 }
            let best = aligner.bestPlace(of: tail, in: input)
            aligner.crossfade(from: tail, to: input + best * source.channels, into: &frames)
            return best
        }
        return Seam(
            frames: frames, first: moved(start, by: best), next: moved(start, by: best + aligner.overlap))
    }

    /// Reads as the listener would hear it, round and round where the sound is looped; silence follows its end.
    private func read(from place: PlayerTimeline.Place, frames: Int) throws(AudioFileError) -> [Float] {
        var result = [Float](repeating: 0, count: frames * source.channels)
        try source.seek(toFrame: place.fileFrame, rate: 1)
        var done = 0
        while done < frames {
            let count = try source.read(into: scratch, frames: min(frames - done, Self.chunkFrames))
            for index in 0..<count * source.channels { result[done * source.channels + index] = scratch[index] }
            done += count
            guard count == 0 else { continue }
            guard source.canBeginAgain, moved(place, by: done).loop > place.loop else { break }
            try source.beginAgain()
        }
        return result
    }

    /// The place so many frames of the file later, in a later round if there is one.
    private func moved(_ place: PlayerTimeline.Place, by frames: Int) -> PlayerTimeline.Place {
        var moved = PlayerTimeline.Place(fileFrame: place.fileFrame + frames, loop: place.loop)
        let loops = numberOfLoops
        while moved.fileFrame >= length && length > 0 && (loops < 0 || moved.loop < loops) {
            moved.fileFrame -= length
            moved.loop += 1
        }
        moved.fileFrame = min(moved.fileFrame, length)
        return moved
    }
}
