import TestSupport
import Testing

/// A line that no program accepts as a record.
public struct BadLine: CustomTestStringConvertible, Sendable {
    public let testDescription: String
    public let text: String

    public static let all = [
        BadLine(testDescription: "garbage", text: "garbage"),
        BadLine(testDescription: "an array", text: "[]"),
        BadLine(testDescription: "a wrong member", text: #"{"tick":-1}"#),
        BadLine(testDescription: "a NUL", text: "\u{0}"),
        BadLine(testDescription: "70,000 bytes", text: String(repeating: "x", count: 70_000)),
    ]
}

/// One of the four filters, with the arguments that it needs to process a line.
public struct FilterUnderTest: CustomTestStringConvertible, Sendable {
    public let program: String
    public let arguments: [String]
    /// Returns a line that the program accepts as input, with the given tick number.
    public let good: @Sendable (Int) -> String
    public var testDescription: String { program }

    private static let server = StubServer(.ok(#"{"symbol":"BTCUSDT","price":"68901.23"}"#))

    public static let all = [
        FilterUnderTest(program: "price-fetch", arguments: ["--url", server.url(), "binance"]) {
            #"{"tick":\#($0)}"#
        },
        FilterUnderTest(program: "price-fallback", arguments: [ShellSource.quoting("68901.23")]) {
            #"{"tick":\#($0)}"#
        },
        FilterUnderTest(program: "price-cache", arguments: ["--file", "\(Programs.folder.path)/quote"]) {
            quoteLine(tick: $0)
        },
        FilterUnderTest(program: "price-format", arguments: []) { quoteLine(tick: $0) },
    ]

    public func run(_ input: String) -> RunningProgram.Result {
        RunningProgram.run(program, arguments, input: input)
    }

    /// The command line, for use in a shell pipeline.
    public var command: String { "\(program) \(arguments.map(\.shellQuoted).joined(separator: " "))" }
}
