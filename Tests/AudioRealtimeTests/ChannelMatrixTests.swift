import AudioRealtime
import TestSupport
import Testing

@Suite(.limited) struct ChannelMatrixTests {
    private func rows(_ matrix: ChannelMatrix) -> [[Float]] {
        (0..<matrix.outputs).map { row in (0..<matrix.inputs).map { matrix.coefficients[row * matrix.inputs + $0] } }
    }

    @Test(arguments: 1...8) func equalListsAreTheIdentity(count: Int) {
        let list = ChannelMatrix.standard(count)
        #expect(list.count == count)
        let matrix = ChannelMatrix(from: list, to: list)
        #expect(matrix.isIdentity)
        #expect(rows(matrix) == (0..<count).map { row in (0..<count).map { $0 == row ? 1 : 0 } })
    }

    @Test func monoGoesToBothSidesAtFullGain() {
        #expect(rows(ChannelMatrix(from: [.mono], to: [.left, .right])) == [[1], [1]])
        #expect(rows(ChannelMatrix(from: [.mono], to: ChannelMatrix.standard(6))) == [[1], [1], [0], [0], [0], [0]])
    }

    @Test func stereoToMonoIsTheMean() {
        #expect(rows(ChannelMatrix(from: [.left, .right], to: [.mono])) == [[0.5, 0.5]])
    }

    @Test func stereoLeavesFurtherOutputsSilent() {
        let matrix = ChannelMatrix(from: [.left, .right], to: ChannelMatrix.standard(6))
        #expect(rows(matrix) == [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
    }

    @Test func surroundIsFoldedAtMinusThreeDecibelsAndCannotClip() {
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(6), to: [.left, .right])
        let half = Float(0.5).squareRoot()
        let sum = 1 + half + half
        #expect(
            rows(matrix) == [[1, 0, half, 0, half, 0].map { $0 / sum }, [0, 1, half, 0, 0, half].map { $0 / sum }])
    }

    @Test func rearAndSideReplaceEachOther() {
        let matrix = ChannelMatrix(
            from: [.left, .right, .rearLeft, .rearRight], to: [.left, .right, .sideLeft, .sideRight])
        #expect(rows(matrix) == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        #expect(matrix.isIdentity, "every sample stays as it is")
    }

    @Test func unknownChannelsGoByIndex() {
        #expect(rows(ChannelMatrix(from: [.aux, .aux, .aux], to: [.left, .right])) == [[1, 0, 0], [0, 1, 0]])
        #expect(rows(ChannelMatrix(from: [.left, .right], to: [.aux, .aux, .aux])) == [[1, 0], [0, 1], [0, 0]])
    }

    @Test func monoIsHeardWhereAStereoFileIsWithoutPlaces() {
        #expect(rows(ChannelMatrix(from: [.mono], to: [.aux])) == [[1]])
        #expect(rows(ChannelMatrix(from: [.mono], to: [.aux, .aux])) == [[1], [1]])
        #expect(rows(ChannelMatrix(from: [.mono], to: [.aux, .aux, .aux, .aux])) == [[1], [1], [0], [0]])
        #expect(rows(ChannelMatrix(from: [.mono], to: [.aux, .lfe])) == [[1], [0]], "one of them has its place")
    }

    @Test func noOutputCanExceedFullScale() {
        for from in Channel.allCases {
            for count in 1...8 {
                for inputs in 1...8 {
                    let list = ChannelMatrix.standard(inputs).dropLast() + [from]
                    for row in rows(ChannelMatrix(from: Array(list), to: ChannelMatrix.standard(count))) {
                        #expect(row.reduce(0, +) <= 1.000_001)
                    }
                }
            }
        }
    }

    @Test func panningNeedsLeftAndRight() {
        #expect(ChannelMatrix(from: [.mono], to: [.right, .left]).leftOutput == 1)
        #expect(ChannelMatrix(from: [.mono], to: [.left, .center]).leftOutput == nil)
        #expect(ChannelMatrix(from: [.mono], to: [.mono]).rightOutput == nil)
    }
}
