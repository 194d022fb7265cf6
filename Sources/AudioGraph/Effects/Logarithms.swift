/// Natural logarithms, as the kernels' preparations need them.
enum Logarithm {
    static let ofTwo = 0.693_147_180_559_945_3
    static let ofTen = 2.302_585_092_994_046
}
