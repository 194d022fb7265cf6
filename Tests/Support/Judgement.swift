import Foundation
package import Testing

/// The number that a test judges, and the shortest stall of the machine that spoils the judgement.
///
/// Only tests with this trait may be excused by a slow machine (``LimitedTrait``). It is for numbers that the machine
/// shares in: gaps in samples, levels over milliseconds, times. A test that waits until something is so judges none.
package struct Judgement: TestTrait {
    /// The number, in words.
    package let number: String
    /// How long a thread or a server's program may wait for a processor before the number says nothing, in seconds.
    package let tolerance: Double
    /// How long a task may wait before the number says nothing, in seconds.
    package let taskTolerance: Double

    /// A third of what PipeWire computes at a time: in each cycle it wakes up to three programs one after another, whose
    /// waits add up, and sound that is computed later than the cycle's end is missing.
    private static let shortest = 0.0071
    /// What a task has to be late before sound that it controls suffers: sound itself is computed by no task.
    private static let shortestOfTask = 0.2

    /// A gap, or a wrong place, of more than so many frames fails the test.
    ///
    /// A stall of the gap's own length spoils it, and one that a server's cycle has no room for.
    package static func gap(frames: Int, rate: Int = 44_100) -> Self {
        let tolerance = max(shortest, Double(frames) / Double(rate))
        return Self(
            number: "a gap of \(frames) frames", tolerance: tolerance, taskTolerance: max(shortestOfTask, tolerance))
    }

    /// The first frame of a sound that takes the place of queued ones: a stall of the time that is left for the change,
    /// 6 ms, spoils it.
    package static let rewrite = Self(
        number: "the first frame of a sound among queued ones", tolerance: 0.005, taskTolerance: shortestOfTask)

    /// A level that is off by more than so many decibels over so many seconds fails the test.
    ///
    /// A stall that takes as much of the time as the decibels do of the amplitude spoils it.
    package static func level(decibels: Double, over seconds: Double = 0.05) -> Self {
        let part = 1 - pow(10, -decibels / 20)
        let tolerance = max(shortest, seconds * part)
        return Self(
            number: "a level within \(decibels) dB over \(seconds) s", tolerance: tolerance,
            taskTolerance: max(shortestOfTask, tolerance))
    }

    /// Whatever takes longer than so many seconds, or deviates from an expected time by more, fails the test.
    ///
    /// A stall of half of it spoils it.
    package static func time(seconds: Double) -> Self {
        Self(number: "a time of \(seconds) s", tolerance: seconds / 2, taskTolerance: seconds / 2)
    }
}

extension Trait where Self == Judgement {
    /// Marks a test that judges time, gaps or levels, with the number that it judges.
    package static func judges(_ judgement: Judgement) -> Self { judgement }
}
