import AVFAudio
import TestSupport
import Testing

@Suite("MeterTable", .limited)
struct MeterTableTests {
    @Test(
        "The floor and what is below show nothing, full scale and what is above everything", arguments: [2, 100, 300])
    func ends(size: Int) {
        let table = MeterTable(tableSize: size)
        for power in [-160, -80, -60, -.infinity, .nan] as [Float] { #expect(table.valueForPower(power) == 0) }
        for power in [0, 0.1, 12, .infinity] as [Float] { #expect(table.valueForPower(power) == 1) }
    }

    @Test("Between them it rises all the time, like the square root of the amplitude")
    func shape() {
        let table = MeterTable()
        let values = stride(from: Float(-60), through: 0, by: 0.1).map(table.valueForPower)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
        // Half the amplitude, a tenth, a hundredth.
        for (power, value) in [(-6.02, 0.707), (-20, 0.315), (-40, 0.095)] as [(Float, Float)] {
            #expect(abs(table.valueForPower(power) - value) < 0.005)
        }
    }

    @Test("A table of any size is made; too small a one has two entries")
    func sizes() {
        for size in [-1, 0, 1] { #expect(MeterTable(tableSize: size).valueForPower(-30) == 0.5) }
    }
}
