// ExampleSupport
