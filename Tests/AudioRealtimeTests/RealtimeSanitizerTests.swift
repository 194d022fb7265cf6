#if REALTIME_SANITIZER
    import RealtimeShims
    import Testing

    /// Built by `scripts/check-realtime` only: without the sanitizer nothing would end these processes.
    @Suite struct RealtimeSanitizerTests {
        @Test func anAllocationInARenderFunctionEndsTheProcess() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                rt_call(allocatingRender, UnsafeMutableRawPointer(bitPattern: 16)!)
            }
            let report = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(report.contains("unsafe-library-call") && report.contains("malloc"))
        }

        @Test func aRenderFunctionThatOnlyComputesDoesNot() async {
            await #expect(processExitsWith: .success) {
                rt_call(computingRender, UnsafeMutableRawPointer(bitPattern: 16)!)
            }
        }
    }

    // SAFETY: only touched by the one thread of the process that this test starts.
    nonisolated(unsafe) private var kept: [Int] = []

    private func allocatingRender(_ context: UnsafeMutableRawPointer) { kept = [Int](repeating: 1, count: 1000) }

    private func computingRender(_ context: UnsafeMutableRawPointer) { _ = Int(bitPattern: context) &* 3 }
#endif
