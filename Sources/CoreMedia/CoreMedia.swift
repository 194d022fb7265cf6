// Apple's sample code makes times with Dispatch's constants, which `import CoreMedia` provides on Apple's systems.
@_exported public import DispatchNames
