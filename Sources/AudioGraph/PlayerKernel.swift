import Synchronization

// A player's part of the render side, which runs through `rt_call`.

typealias PlayerPointer = UnsafeMutablePointer<PlayerState>

/// Renders the block that `queue` asks for.
@_noLocks
func playerKernel(_ context: UnsafeMutableRawPointer) {
    let state = context.assumingMemoryBound(to: PlayerState.self)
    let queue = state.pointee.queue
    queue.pointee.hasSound = false
    guard let samples = queue.pointee.samples else { return }
    takeLinks(state)
    guard queue.pointee.isPlaying else { return }
    var done = min(max(queue.pointee.start &- queue.pointee.position, 0), queue.pointee.frames)
    if done < queue.pointee.frames {
        let origin = queue.pointee.position &+ done &- queue.pointee.time
        state.pointee.origin.store(origin, ordering: .releasing)
    }
    // Up to here, and to the end, nothing may follow; then the block is left as it is.
    var silent = done
    while done < queue.pointee.frames {
        let passed = playSome(state, samples, at: done)
        if passed.hasSound {
            clear(samples, from: done &- silent, frames: silent)
            silent = 0
            queue.pointee.hasSound = true
        } else {
            silent &+= passed.frames
        }
        done &+= passed.frames
    }
    if queue.pointee.hasSound { clear(samples, from: done &- silent, frames: silent) }
}

/// Writes frames of silence.
@_noLocks
private func clear(_ samples: Samples, from first: Int, frames: Int) {
    if frames == 0 { return }
    for channel in 0..<samples.channelCount {
        (samples.channels[channel] + first).update(repeating: 0, count: frames)
    }
}

/// Plays from one piece, or waits for the next, until something changes; returns the frames that passed.
@_noLocks
private func playSome(
    _ state: PlayerPointer, _ samples: Samples, at offset: Int
) -> (frames: Int, hasSound: Bool) {
    let queue = state.pointee.queue
    let rest = queue.pointee.frames &- offset
    guard let piece = queue.pointee.head else {
        queue.pointee.time &+= rest
        return (rest, false)
    }
    if piece.pointee.played == 0 && piece.pointee.time > queue.pointee.time {
        let wait = min(rest, piece.pointee.time &- queue.pointee.time)
        queue.pointee.time &+= wait
        return (wait, false)
    }
    let count = min(rest, piece.pointee.frames &- piece.pointee.played)
    if let channels = piece.pointee.channels {
        for channel in 0..<min(samples.channelCount, piece.pointee.channelCount) {
            UnsafeMutableRawPointer(samples.channels[channel] + offset).copyMemory(
                from: channels[channel] + piece.pointee.played, byteCount: count &* MemoryLayout<Float>.stride)
        }
    }
    queue.pointee.time &+= count
    piece.pointee.played &+= count
    if piece.pointee.played == piece.pointee.frames {
        if piece.pointee.loops && piece.pointee.frames > 0 {
            piece.pointee.played = 0
            // The time of a piece is that of its first pass.
            piece.pointee.time = -1
        } else {
            endHead(state, at: queue.pointee.position &+ offset &+ count)
        }
    }
    return (count, count > 0)
}

/// Carries out what the control side has sent, in its order.
@_noLocks
func takeLinks(_ state: PlayerPointer) {
    var newest = state.pointee.incoming.exchange(nil, ordering: .acquiring)
    var oldest: LinkPointer?
    while let link = newest {
        newest = link.pointee.next
        link.pointee.next = oldest
        oldest = link
    }
    while let link = oldest {
        oldest = link.pointee.next
        link.pointee.next = nil
        apply(link, to: state)
    }
}

@_noLocks
private func apply(_ link: LinkPointer, to state: PlayerPointer) {
    let queue = state.pointee.queue
    switch link.pointee.command {
    case .piece(let entry):
        enter(link, entry, state)
        return
    case .play(let start):
        if !queue.pointee.isPlaying { queue.pointee.start = start }
        queue.pointee.isPlaying = true
    case .pause:
        queue.pointee.isPlaying = false
        state.pointee.origin.store(PlayerState.noOrigin, ordering: .releasing)
    case .stop:
        while queue.pointee.head != nil { endHead(state, at: -1) }
        queue.pointee.isPlaying = false
        queue.pointee.time = 0
        state.pointee.origin.store(PlayerState.noOrigin, ordering: .releasing)
    }
    finish(link, state)
}

@_noLocks
private func enter(_ link: LinkPointer, _ entry: Piece.Entry, _ state: PlayerPointer) {
    let queue = state.pointee.queue
    switch entry {
    case .afterOthers: break
    case .interrupts:
        while queue.pointee.head != nil { endHead(state, at: -1) }
    case .interruptsAtLoop:
        // The head goes on to the end of its pass, unless it is between two, and takes along what is one sound with it;
        // what waits behind is dropped.
        if let head = queue.pointee.head, head.pointee.played > 0 || head.pointee.continues {
            head.pointee.loops = false
            var last = head
            while let next = last.pointee.next, next.pointee.continues { last = next }
            let others = last.pointee.next
            last.pointee.next = nil
            queue.pointee.tail = last
            drop(others, state)
        } else {
            while queue.pointee.head != nil { endHead(state, at: -1) }
        }
    }
    if let tail = queue.pointee.tail { tail.pointee.next = link } else { queue.pointee.head = link }
    queue.pointee.tail = link
}

@_noLocks
private func drop(_ links: LinkPointer?, _ state: PlayerPointer) {
    var next = links
    while let link = next {
        next = link.pointee.next
        link.pointee.end = -1
        finish(link, state)
    }
}

/// Takes the first piece off the queue; it ended before `position`, or was dropped if that is −1.
@_noLocks
private func endHead(_ state: PlayerPointer, at position: Int) {
    let queue = state.pointee.queue
    guard let head = queue.pointee.head else { return }
    queue.pointee.head = head.pointee.next
    if queue.pointee.head == nil { queue.pointee.tail = nil }
    head.pointee.end = position
    finish(head, state)
}

/// Hands a link back to the control side, which only ever takes all: the second attempt at the latest succeeds.
@_noLocks
private func finish(_ link: LinkPointer, _ state: PlayerPointer) {
    var head = state.pointee.finished.load(ordering: .relaxed)
    while true {
        link.pointee.next = head
        let (exchanged, original) = state.pointee.finished.compareExchange(
            expected: head, desired: link, ordering: .releasing)
        if exchanged { return }
        head = original
    }
}
