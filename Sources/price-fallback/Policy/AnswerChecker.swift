import PipeCommon

/// Checks a source's lines against the protocol: each must be a reading with a tick number.
struct AnswerChecker {
    private static let limit = 100

    private var invalidLines = 0

    /// Whether the source has written more than 100 invalid lines in a row.
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
