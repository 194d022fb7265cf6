// AudioFilesTests
