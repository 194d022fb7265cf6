// On Apple's systems `import MediaPlayer` re-exports Foundation, and ported sources rely on it.
@_exported public import Foundation
