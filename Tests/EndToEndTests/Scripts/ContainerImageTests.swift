import Foundation
import TestSupport
import TestTraits
import Testing

/// The settings of the container file, applied to a pipeline that runs in its own namespaces without a
/// container engine.
@Suite(.endToEnd) struct ContainerImageTests {
    private let lines: [String]

    init() throws {
        let file = Programs.project.appending(path: "scripts/service/Containerfile")
        lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    }

    /// The arguments of each occurrence of an instruction in the container file.
    private func values(of instruction: String) -> [String] {
        lines.filter { $0.hasPrefix("\(instruction) ") }.map { String($0.dropFirst(instruction.count + 1)) }
    }

    @Test func `the container file installs certificates and time zones and selects an ordinary user`() {
        #expect(values(of: "USER") == ["nobody"])
        #expect(lines.contains { $0.contains("ca-certificates tzdata /packages/btc-price_*.deb") })
    }

    @Test(.enabled(if: Programs.canContain, "needs unshare, and the right to use it"))
    func `with the image's settings, the pipeline runs and stores quotes in the image's volume`() throws {
        let volume = try #require(values(of: "VOLUME").first)
        let entry = try #require(values(of: "ENTRYPOINT").first)
        let program = try #require(entry.firstMatch(of: /\["([^"]+)"\]/)).output.1
        let settings = values(of: "ENV").joined(separator: " ")
        let source = ShellSource.quoting("68901.23").shellQuoted
        let command = """
            mount -t tmpfs none /var/lib && mkdir -m 700 \(volume) && cd /
            env -i PATH="$PATH" \(settings) \(program) -n 2 --interval 10ms --primary \(source) --fallback \(source)
            ls \(volume)/btc-price
            """
        let words = ["-rmpf", "--kill-child", "--mount-proc", "sh", "-c", command]
        let result = RunningProgram.run("unshare", words)
        #expect(result.errors == "" && result.status == 0)
        #expect(result.lines == ["Nov 21, 14:03 - $68,901.23", "Nov 21, 14:03 - $68,901.23", "BTC-USD.json"])
    }
}
