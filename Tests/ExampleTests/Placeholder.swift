// ExampleTests
