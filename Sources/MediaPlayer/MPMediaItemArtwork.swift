public import Foundation

/// The picture of an item.
///
/// Linux has no image type that all apps share, so a picture is the `Data` of an image file (PNG, JPEG, …) in place of
/// Apple's `UIImage` or `NSImage`. Remote controls get the URL of a file that exists while the picture is shown. Can be
/// created and used on any thread.
///
/// Apple: `MPMediaItemArtwork`; MPRIS: `mpris:artUrl`.
// SAFETY: nothing in it changes.
nonisolated open class MPMediaItemArtwork: NSObject, @unchecked Sendable {
    /// The size of the picture, in points; zero if it is unknown.
    ///
    /// Apple: `bounds`.
    public let bounds: CGRect
    /// The URL of the picture; nil if the app provides the data.
    let url: URL?
    private let handler: (@Sendable (CGSize) -> Data)?

    /// Creates a picture from a handler that returns its data.
    ///
    /// The handler is called when the picture is shown, on a background thread. It receives the size of the picture, or
    /// 512 × 512 points for an empty size. More than 16 MiB are not shown.
    ///
    /// Apple: `init(boundsSize:requestHandler:)`, with `UIImage` in place of `Data`.
    public init(boundsSize: CGSize, requestHandler: @escaping @Sendable (CGSize) -> Data) {
        bounds = CGRect(origin: .zero, size: boundsSize)
        url = nil
        handler = requestHandler
    }

    /// Creates a picture from the URL of a file or of a picture on the network.
    ///
    /// The URL is published without user name, password, query and fragment.
    ///
    /// Linux only.
    public init(contentsOf url: URL) {
        bounds = .zero
        self.url = url
        handler = nil
    }

    /// The picture, as the data of an image file, from the app's handler; nil for a picture that was made from a URL.
    ///
    /// Apple: `image(at:)`.
    open func image(at size: CGSize) -> Data? { handler?(size) }
}
