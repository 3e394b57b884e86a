import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// How a session reads and writes frames, answers control frames, and reacts to violations of the protocol.
@Suite(.unit) struct WebSocketSessionTests {
    private func makeSUT() -> WebSocketSession { WebSocketSession { 0x0102_0304 } }

    private func frame(_ opcode: UInt8, _ payload: some Collection<UInt8>, isFinal: Bool = true) -> [UInt8] {
        ServerSide.frame(opcode, payload, isFinal: isFinal)
    }

    private func violation(_ bytes: [UInt8]) -> UInt16? {
        var sut = makeSUT()
        _ = sut.receive(bytes)
        return sut.violation?.code
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 1 << 20])
    func `a message of any length up to 1 MiB is received`(length: Int) {
        var sut = makeSUT()
        let payload = [UInt8](repeating: 0x61, count: length)
        #expect(sut.receive(frame(1, payload)) == [.text(payload)])
        #expect(sut.receive(frame(2, payload)) == [.binary(payload)])
    }

    @Test func `a series of messages may be split into two pieces at any byte`() throws {
        let bytes =
            frame(1, "one".utf8) + frame(9, [1, 2]) + frame(1, Array("two 😀".utf8.prefix(6)), isFinal: false)
            + frame(10, []) + frame(0, Array("two 😀".utf8.dropFirst(6)))
            + frame(2, [UInt8](repeating: 7, count: 300))
        let expected: [WebSocketEvent] = [
            .text(Array("one".utf8)), .pong, .text(Array("two 😀".utf8)),
            .binary([UInt8](repeating: 7, count: 300)),
        ]
        for cut in 0...bytes.count {
            var sut = makeSUT()
            let events = sut.receive(Array(bytes[..<cut])) + sut.receive(Array(bytes[cut...]))
            #expect(events == expected, "cut at \(cut)")
        }
        var sut = makeSUT()
        #expect(bytes.flatMap { sut.receive([$0]) } == expected)
    }

    @Test(arguments: [(0, 1), (125, 1), (126, 3), (65_535, 3), (65_536, 9)])
    func `a sent frame is masked and has the shortest possible length field`(length: Int, lengthSize: Int) {
        var sut = makeSUT()
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        sut.send(.text, payload)
        let sent = sut.takeOutput()
        #expect(sent[0] == 0x81 && sent[1] == [1: 0x80 + UInt8(length & 0x7F), 3: 0xFE, 9: 0xFF][lengthSize])
        #expect(sent.count == 1 + lengthSize + 4 + length && sut.takeOutput().isEmpty)
        let mask: [UInt8] = [1, 2, 3, 4]
        #expect(Array(sent[(1 + lengthSize)..<(5 + lengthSize)]) == mask)
        #expect(sent.suffix(length).enumerated().map { $1 ^ mask[$0 % 4] } == payload)
    }

    @Test func `a ping is answered with a pong that repeats its bytes, even between a message's fragments`() {
        var sut = makeSUT()
        #expect(sut.receive(frame(1, [0x61], isFinal: false) + frame(9, Array(UInt8(1)...125))) == [])
        #expect(sut.takeOutput() == Frame.bytes(.pong, Array(1...125), mask: 0x0102_0304))
        #expect(sut.receive(frame(0, [0x62])) == [.text([0x61, 0x62])])
    }

    @Test(arguments: [[]] + [1000, 1001, 1003, 1007, 1011, 3000, 4999].map(\UInt16.bigEndianBytes))
    func `a close frame is answered with the same code, and nothing else is sent or read`(code: [UInt8]) {
        for reason in code.isEmpty ? [""] : ["", "bye"] {
            var sut = makeSUT()
            #expect(sut.receive(frame(8, code + reason.utf8) + frame(1, "late".utf8)) == [])
            #expect(sut.takeOutput() == Frame.bytes(.close, code, mask: 0x0102_0304))
            sut.send(.text, [0x61])
            #expect(sut.receive(frame(1, "later".utf8)) == [] && sut.takeOutput().isEmpty)
            #expect(sut.isClosing && sut.violation == nil)
        }
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1012, 1015, 1016, 2999, 5000, 65_535] as [UInt16])
    func `a close frame with an invalid status code is a violation`(code: UInt16) {
        #expect(violation(frame(8, code.bigEndianBytes)) == 1002)
    }

    @Test(
        arguments: [
            ([0xC1, 0], "a frame with a reserved bit set"), ([0xA1, 0], "a frame with a reserved bit set"),
            ([0x91, 0], "a frame with a reserved bit set"), ([0x83, 0], "an unknown opcode"),
            ([0x8B, 0], "an unknown opcode"),
            ([0x81, 0x80], "a masked frame"), ([0x09, 0], "a control frame that is fragmented or too long"),
            ([0x89, 126, 0, 126], "a control frame that is fragmented or too long"),
            ([0x88, 1, 3], "the status code 3"), ([0x80, 0], "a continuation without a message"),
            ([0x01, 1, 0x61, 0x81, 1, 0x62], "a message inside another message"),
            ([0x81, 126, 0, 125], "a length that is not in its shortest form"),
            ([0x81, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], "a length that is not in its shortest form"),
            ([0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], "a length with its highest bit set"),
        ] as [([UInt8], String)])
    func `a broken frame is a violation, and the reason is recorded`(bytes: [UInt8], reason: String) {
        var sut = makeSUT()
        _ = sut.receive(bytes)
        #expect(sut.violation == .wrongProtocol(reason))
    }

    @Test func `a violation is answered with a close frame, and earlier messages are delivered`() {
        var sut = makeSUT()
        #expect(sut.receive(frame(1, [0x61]) + [0x81, 0x80] + frame(1, [0x62])) == [.text([0x61])])
        #expect(sut.violation == .wrongProtocol("a masked frame") && sut.receive(frame(1, [0x63])) == [])
        #expect(sut.takeOutput() == Frame.bytes(.close, [0x03, 0xEA], mask: 0x0102_0304))
    }

    @Test(.fault(47), arguments: [[0, 0, 0, 0, 0, 0x10, 0, 1], [0x7F] + Array(repeating: 0xFF, count: 7)])
    func `a message longer than 1 MiB is rejected before the excess bytes arrive`(length: [UInt8]) {
        #expect(violation([0x81, 127] + length) == 1009)
        #expect(violation(frame(1, [0x61], isFinal: false) + [0x80, 127] + length) == 1009)
        let full = [UInt8](repeating: 0x61, count: 1 << 20)
        #expect(violation(frame(2, full, isFinal: false) + [0x80, 1]) == 1009)
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF], [0xC2, 0x41],
            [0xE2, 0x82], [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func `text that is not UTF-8 is a violation`(bytes: [UInt8]) {
        #expect(violation(frame(1, bytes)) == 1007)
        #expect(violation(frame(1, [0x61], isFinal: false) + frame(0, bytes)) == 1007)
        #expect(violation(frame(8, [0x03, 0xE8] + bytes)) == 1007)
    }
}
