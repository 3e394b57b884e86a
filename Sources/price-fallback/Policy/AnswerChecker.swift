import PipeCommon

/// Checks the lines of a source against the protocol: each is a reading with the number of its tick.
struct AnswerChecker {
    private static let limit = 100

    private var invalidLines = 0

    /// Whether the source has written only invalid lines for a while: more than 100 in a row.
    var isHopeless: Bool { invalidLines > Self.limit }

    mutating func reading(in line: LineReader.Line) throws(InvalidInput) -> Reading {
        do {
            let reading = try Self.reading(in: line)
            invalidLines = 0
            return reading
        } catch {
            invalidLines += 1
            throw error
        }
    }

    private static func reading(in line: LineReader.Line) throws(InvalidInput) -> Reading {
        guard case .text(let bytes) = line else { throw InvalidInput("line longer than 64 KiB") }
        let reading = try Reading(line: bytes)
        guard reading.tick != nil else { throw InvalidInput("reading without a tick number") }
        return reading
    }
}
