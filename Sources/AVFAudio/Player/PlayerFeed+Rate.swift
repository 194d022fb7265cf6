internal import AudioFiles
internal import AudioRealtime
internal import TimeStretch

/// Changes of the rate while the sound plays.
///
/// The decoder is about a second ahead of the listener, too late for a change. So the frames that have not been
/// rendered are replaced by newly decoded ones. The new frames are faded in over the last old ones at a place where the
/// waveforms match, so that nothing clicks. They are decoded before the old ones are dropped, so that the ring never
/// runs empty.
extension PlayerFeed {
    /// The distances behind the last rendered frame at which the change is tried, in seconds; growing, because the
    /// renderer does not wait for the decoder.
    private static let leads = [0.01, 0.03, 0.1, 0.3]

    /// Changes the rate, in seconds of the file for each second of sound, from about the next rendered frame on.
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

    // MARK: Earlier end

    /// Renders the end of the last wanted loop anew, as for another rate; false if the end must be cut instead.
    ///
    /// At a rate other than 1 a round ends some milliseconds beside its place and blends into the next one, so decoded
    /// frames cannot be cut there. Usually nothing is rendered meanwhile, so the nearest place is tried first.
    func remakesEnd() -> Bool {
        guard playbackRate != 1, unwantedFrame != nil else { return false }
        do throws(AudioFileError) {
            for lead in [0] + Self.leads where unwantedFrame != nil {
                if try splice(Int(lead * Double(sampleRate))) { break }
            }
            guard unwantedFrame == nil else {
                // The decoded frames can only be cut, and the decoder must be where it was.
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

    /// The last loop to be heard: the one that is rendered now, if it should have ended already.
    private var lastWantedLoop: Int {
        let loops = numberOfLoops
        return loops < 0 ? .max : max(loops, place(atVoiceFrame: ring.framesRendered).loop)
    }

    /// The voice's first frame of an unwanted loop; nil if there is none.
    var unwantedFrame: Int? {
        let last = lastWantedLoop
        return share { $0.timeline.firstFrame(beyond: last) }
    }

    // MARK: Seams

    /// Tries one distance; false if the renderer was faster.
    private func splice(_ lead: Int) throws(AudioFileError) -> Bool {
        let cut = ring.framesRendered + lead
        let overlap = source.aligner.overlap
        var tail = [Float](repeating: 0, count: overlap * source.channels)
        while ring.copy(from: cut, frames: overlap, to: &tail) < overlap {
            // The file's last frames stay unchanged.
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

    /// The place of a frame of the voice, or the end if the frame belongs to an unwanted loop.
    private func wantedPlace(atVoiceFrame frame: Int) -> PlayerTimeline.Place {
        let place = place(atVoiceFrame: frame)
        let last = lastWantedLoop
        return place.loop > last ? PlayerTimeline.Place(fileFrame: length, loop: last) : place
    }

    /// Applies the rate without a seam, behind all decoded frames.
    private func append() throws(AudioFileError) {
        let place = place(atVoiceFrame: written)
        try source.seek(toFrame: place.fileFrame, rate: playbackRate)
        base = written
        share { $0.timeline.jump(atVoiceFrame: base, to: place, rate: playbackRate) }
    }

    /// Frames that blend one waveform into another, with the place of the first and of the following frame.
    private struct Seam {
        var frames: [Float]
        var first: PlayerTimeline.Place
        var next: PlayerTimeline.Place
    }

    /// Blends `tail` into the file near a place.
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

    /// Reads the file as it is heard, looped if wanted; silence follows its end.
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

    /// The place a number of file frames later, in a later round if there is one.
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
