// Times are made with Dispatch's constants, which `import CoreMedia` brings along on Apple's systems.
@_exported public import DispatchNames
