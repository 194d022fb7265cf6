package import Dispatch

/// Calls `action` on the main queue every `seconds`, until the returned source is cancelled.
@MainActor
package func every(_ seconds: Double, _ action: @escaping @MainActor () -> Void) -> any DispatchSourceTimer {
    let source = DispatchSource.makeTimerSource(queue: .main)
    source.schedule(deadline: .now() + seconds, repeating: seconds, leeway: .milliseconds(10))
    source.setEventHandler { action() }
    source.resume()
    return source
}

/// Calls `action` on the main queue once, after `seconds`, unless the returned source is cancelled before.
@MainActor
package func after(_ seconds: Double, _ action: @escaping @MainActor () -> Void) -> any DispatchSourceTimer {
    let source = DispatchSource.makeTimerSource(queue: .main)
    source.schedule(deadline: .now() + seconds)
    source.setEventHandler { action() }
    source.resume()
    return source
}
