public import Foundation

/// The picture of an item.
///
/// Linux has no image type that all apps share, so a picture may be of any type. Remote controls show the `Data` of an
/// image file (PNG, JPEG, …) and every type that says its data by ``MPMediaItemArtworkImage``; they get the URL of a
/// file that exists while the picture is shown. A picture of another type is kept for the app, and shown by nobody. Can
/// be created and used on any thread.
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
    private let handler: ((CGSize) -> Any)?

    /// Creates a picture from a handler that returns it, as `Data` or any type of image.
    ///
    /// The handler is called when the picture is shown, on a background thread. It receives the size of the picture, or
    /// 512 × 512 points for an empty size. More than 16 MiB are not shown.
    ///
    /// Apple: `init(boundsSize:requestHandler:)`, whose handler returns a `UIImage`.
    public init<Image>(boundsSize: CGSize, requestHandler: @escaping @Sendable (CGSize) -> Image) {
        bounds = CGRect(origin: .zero, size: boundsSize)
        url = nil
        handler = requestHandler
    }

    /// Creates a picture from `Data` or any type of image.
    ///
    /// The size is unknown. The image is read on a background thread, when it is shown.
    ///
    /// Apple: `init(image:)`, with a `UIImage`.
    public init<Image>(image: sending Image) {
        bounds = .zero
        url = nil
        handler = { _ in image }
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

    /// The picture as the data of an image file, from the app's handler; nil for a picture that was made from a URL, and
    /// for an image that has no data.
    ///
    /// Apple: `image(at:)`, which returns a `UIImage`.
    open func image(at size: CGSize) -> Data? {
        switch handler?(size) {
        case let data as Data: data
        case let data as NSData: Data(referencing: data)
        case let image as any MPMediaItemArtworkImage: image.artworkData
        default: nil
        }
    }

    /// The picture in the app's type, from the app's handler; nil for a picture of another type, or made from a URL.
    ///
    /// Apple: `image(at:)`, as in `let image: UIImage? = artwork.image(at: size)`.
    public func image<Image>(at size: CGSize) -> Image? { handler?(size) as? Image }
}

/// A type of image that remote controls can show, such as an app's own.
///
/// Linux only.
public protocol MPMediaItemArtworkImage {
    /// The image as the bytes of a PNG, JPEG or other image file; nil if it cannot be shown. Called on a background
    /// thread.
    var artworkData: Data? { get }
}
