public import Foundation

/// The picture of an item.
///
/// Linux has no image type that all apps share, so a picture is the `Data` of an image file (PNG, JPEG, …) in place of
/// Apple's `UIImage` or `NSImage`. Remote controls get the address of a file that lives as long as the picture is
/// shown. May be made and asked on any thread.
///
/// Apple: `MPMediaItemArtwork`; MPRIS: `mpris:artUrl`.
// SAFETY: nothing in it changes.
nonisolated open class MPMediaItemArtwork: NSObject, @unchecked Sendable {
    /// The size of the picture; zero where it is not known.
    ///
    /// Apple: `bounds`.
    public let bounds: CGRect
    /// Where the picture is already; nil where the app provides it.
    let url: URL?
    private let handler: (@Sendable (CGSize) -> Data)?

    /// A picture that is asked for when it is needed, for the size at which it will be shown, on a thread of the
    /// library's.
    ///
    /// Apple: `init(boundsSize:requestHandler:)`, with `UIImage` in place of `Data`.
    public init(boundsSize: CGSize, requestHandler: @escaping @Sendable (CGSize) -> Data) {
        bounds = CGRect(origin: .zero, size: boundsSize)
        url = nil
        handler = requestHandler
    }

    /// A picture that is a file, or on the network, already; its address is told as it is, without passwords and
    /// queries.
    ///
    /// Linux only.
    public init(contentsOf url: URL) {
        bounds = .zero
        self.url = url
        handler = nil
    }

    /// The picture, as an image file; nil where the app gave an address instead.
    ///
    /// Apple: `image(at:)`.
    open func image(at size: CGSize) -> Data? { handler?(size) }
}
