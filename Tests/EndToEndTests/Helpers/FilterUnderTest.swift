import TestSupport
import Testing

/// A line that no program accepts as a record.
struct BadLine: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String

    static let all = [
        BadLine(testDescription: "garbage", text: "garbage"),
        BadLine(testDescription: "an array", text: "[]"),
        BadLine(testDescription: "a wrong member", text: #"{"tick":-1}"#),
        BadLine(testDescription: "a NUL", text: "\u{0}"),
        BadLine(testDescription: "70,000 bytes", text: String(repeating: "x", count: 70_000)),
    ]
}

/// One of the four filters, with the arguments that it needs to answer a line.
struct FilterUnderTest: CustomTestStringConvertible, Sendable {
    let program: String
    let arguments: [String]
    let good: @Sendable (Int) -> String
    var testDescription: String { program }

    private static let server = StubServer(.ok(#"{"symbol":"BTCUSDT","price":"68901.23"}"#))
    private static let folder = TemporaryFolder(inMemory: true)

    static let all = [
        FilterUnderTest(program: "price-fetch", arguments: ["--url", server.url(), "binance"]) {
            #"{"tick":\#($0)}"#
        },
        FilterUnderTest(program: "price-fallback", arguments: [ShellSource.quoting("68901.23")]) {
            #"{"tick":\#($0)}"#
        },
        FilterUnderTest(program: "price-cache", arguments: ["--file", "\(folder.path)/quote"]) {
            quoteLine(tick: $0)
        },
        FilterUnderTest(program: "price-format", arguments: []) { quoteLine(tick: $0) },
    ]

    func run(_ input: String) -> RunningProgram.Result {
        RunningProgram.run(program, arguments, input: input)
    }

    /// The command line, for use in a shell pipeline.
    var command: String {
        "\(program) \(arguments.map(\.shellQuoted).joined(separator: " "))"
    }
}
