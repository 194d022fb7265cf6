import Glibc

/// OpenAL Soft's loopback device, which renders when it is asked: the mixer beside which the engine is measured.
///
/// The library is loaded at run time, so that nothing links it.
final class OpenAL {
    private typealias Open = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias CreateContext = @convention(c) (OpaquePointer, UnsafePointer<Int32>) -> OpaquePointer?
    private typealias MakeCurrent = @convention(c) (OpaquePointer?) -> CChar
    private typealias Close = @convention(c) (OpaquePointer) -> CChar
    private typealias Destroy = @convention(c) (OpaquePointer) -> Void
    private typealias Render = @convention(c) (OpaquePointer, UnsafeMutableRawPointer, Int32) -> Void
    private typealias Generate = @convention(c) (Int32, UnsafeMutablePointer<UInt32>) -> Void
    private typealias BufferData = @convention(c) (UInt32, Int32, UnsafeRawPointer, Int32, Int32) -> Void
    private typealias SourceInteger = @convention(c) (UInt32, Int32, Int32) -> Void
    private typealias Source3 = @convention(c) (UInt32, Int32, Float, Float, Float) -> Void
    private typealias Play = @convention(c) (UInt32) -> Void
    private typealias GetInteger = @convention(c) (Int32) -> Int32
    private typealias GetStringI = @convention(c) (Int32, Int32) -> UnsafePointer<CChar>?
    private typealias GetProc = @convention(c) (UnsafePointer<CChar>) -> UnsafeMutableRawPointer?

    private let library: UnsafeMutableRawPointer
    private let device: OpaquePointer
    private let context: OpaquePointer

    /// A stereo device in Float32; nil where the library is not installed.
    init?(rate: Int) {
        guard let library = dlopen("libopenal.so.1", RTLD_NOW) else { return nil }
        self.library = library
        func function<Function>(_ name: String, _: Function.Type) -> Function? {
            dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
        }
        let attributes: [Int32] = [0x1990, 0x1501, 0x1991, 0x1406, 0x1007, Int32(rate), 0x1010, 256, 0]
        guard let device = function("alcLoopbackOpenDeviceSOFT", Open.self)?(nil),
            let context = function("alcCreateContext", CreateContext.self)?(device, attributes),
            function("alcMakeContextCurrent", MakeCurrent.self)?(context) != 0
        else { return nil }
        (self.device, self.context) = (device, context)
    }

    deinit {
        _ = call("alcMakeContextCurrent", MakeCurrent.self)(nil)
        call("alcDestroyContext", Destroy.self)(context)
        _ = call("alcCloseDevice", Close.self)(device)
    }

    private func call<Function>(_ name: String, _: Function.Type) -> Function {
        guard let function = dlsym(library, name) else { fatalError("OpenAL has no \(name).") }
        return unsafeBitCast(function, to: Function.self)
    }

    /// Plays a mono sound from so many sources, in a circle around the listener, in loops.
    ///
    /// Returns whether the resampler of this name is there.
    func play(_ samples: [Float], rate: Int, sources: Int, resampler: String?) -> Bool {
        var buffer: UInt32 = 0
        call("alGenBuffers", Generate.self)(1, &buffer)
        samples.withUnsafeBytes { bytes in
            guard let data = bytes.baseAddress else { return }
            call("alBufferData", BufferData.self)(buffer, 0x10010, data, Int32(bytes.count), Int32(rate))
        }
        let wanted = resampler.map(index) ?? nil
        for number in 0..<sources {
            var source: UInt32 = 0
            call("alGenSources", Generate.self)(1, &source)
            let setInteger = call("alSourcei", SourceInteger.self)
            setInteger(source, 0x1009, Int32(bitPattern: buffer))
            setInteger(source, 0x1007, 1)
            if let wanted { setInteger(source, 0x1214, wanted) }
            let angle = 2 * Float.pi * Float(number) / Float(sources)
            call("alSource3f", Source3.self)(source, 0x1004, sin(angle), 0, cos(angle))
            call("alSourcePlay", Play.self)(source)
        }
        return resampler == nil || wanted != nil
    }

    /// The number of a resampler of this name, in the extension for source resamplers.
    private func index(_ name: String) -> Int32? {
        let count = call("alGetInteger", GetInteger.self)(0x1210)
        guard let pointer = call("alGetProcAddress", GetProc.self)("alGetStringiSOFT") else { return nil }
        let string = unsafeBitCast(pointer, to: GetStringI.self)
        return (0..<count).first { index in
            string(0x1213, index).map { String(cString: $0).lowercased().contains(name) } == true
        }
    }

    /// Renders stereo frames.
    func render(_ frames: Int, into samples: UnsafeMutableRawPointer) {
        call("alcRenderSamplesSOFT", Render.self)(device, samples, Int32(frames))
    }
}
