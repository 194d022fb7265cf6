// Tests say `import TestSupport` and have the ears too; demo-report needs those without the testing library.
@_exported public import SoundAnalysis
