import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The packages that `scripts/package` makes. Most tests that run packaged programs hide the toolchain under an empty
/// file system, as if Swift were not installed.
@Suite(.endToEnd, .enabled(if: folderOfPackages != nil, "needs packages; .ci/run makes and tests them"))
struct PackageTests {
    private static let quote =
        #"{"value":"68901.23","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}"#
    private let folder = TemporaryFolder()

    /// The two kinds of packages, with the suffixes of their file names.
    enum Package: String, CaseIterable {
        case archive = ".tar.xz"
        case debian = ".deb"
    }

    private func package(_ kind: Package) throws -> String {
        let packages = try #require(folderOfPackages)
        let names = try FileManager.default.contentsOfDirectory(atPath: packages)
        return "\(packages)/\(try #require(names.first { $0.hasSuffix(kind.rawValue) }))"
    }

    private func dpkg(_ words: String...) -> RunningProgram.Result {
        // Dependencies are ignored, since the packages that btc-price depends on are not installed in the
        // test's folder.
        let options = ["--root=\(folder.path)", "--force-depends", "--force-script-chrootless"]
        return RunningProgram.run(
            "dpkg", options + words, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    }

    /// Unpacks or installs a package below the test's folder.
    ///
    /// - Returns: the path of the folder that contains the programs.
    private func install(_ kind: Package) throws -> String {
        let file = try package(kind)
        switch kind {
        case .archive:
            #expect(RunningProgram.run("tar", ["-C", folder.path, "-xf", file]).status == 0)
            return "\(folder.path)/" + file.split(separator: "/").last!.dropLast(kind.rawValue.count) + "/bin"
        case .debian:
            let database = "\(folder.path)/var/lib/dpkg"
            for name in ["info", "updates", "triggers"] {
                try FileManager.default.createDirectory(
                    atPath: "\(database)/\(name)", withIntermediateDirectories: true)
            }
            #expect(FileManager.default.createFile(atPath: "\(database)/status", contents: nil))
            let result = dpkg("--install", file)
            #expect(result.status == 0, "\(result.errors)")
            return "\(folder.path)/usr/bin"
        }
    }

    /// Runs a command while the toolchain is hidden.
    private func run(
        _ command: String, _ words: [String], input: String = "", environment: [String: String] = [:]
    ) -> RunningProgram.Result {
        let hide = "mount -t tmpfs none \"$0\" && exec \"$@\""
        let path = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        return RunningProgram.run(
            "unshare", ["-rm", "sh", "-c", hide, toolchain, command] + words, input: input, environment: path)
    }

    @Test func `the checksums match the packages`() throws {
        let packages = try #require(folderOfPackages)
        let result = RunningProgram.run(
            "sh", ["-c", "cd \"$0\" && sha256sum --check SHA256SUMS", packages],
            environment: ["LC_ALL": "C"])
        #expect(result.status == 0 && result.lines.count == Package.allCases.count)
        #expect(result.lines.allSatisfy { $0.hasSuffix(": OK") })
    }

    @Test(arguments: Package.allCases) func `packaged programs run the demo and format a price for Germany`(
        kind: Package
    ) throws {
        let programs = try install(kind)
        // When
        let demo = run("\(programs)/btc-price", ["--demo", "-n", "2", "--interval", "50ms"])
        // Then
        #expect(demo.errors.hasPrefix("btc-price: demo: prices of 2024") && demo.status == 0)
        #expect(demo.lines.map { $0.suffix(10) } == ["$61,175.98", "$61,177.88"])
        // When
        let reading = #"{"tick":0,"at":"2026-11-21T14:03:07.000Z","source":"x","quote":\#(Self.quote)}"#
        let german = run("\(programs)/price-format", ["--locale", "de_DE"], input: reading)
        // Then
        #expect(german.output == "21. Nov., 14:03 - 68.901,23\u{A0}$\n" && german.errors == "")
    }

    @Test(.enabled(if: Programs.has("openssl"), "needs openssl"), arguments: Package.allCases)
    func `the packaged price-fetch trusts the configured certificate authority`(kind: Package) throws {
        let programs = try install(kind)
        let files = TemporaryFolder()
        files.write("price.json", "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"p\":\"68901.23\"}")
        let server = TLSServer("good", files: files)
        let url = "https://localhost:\(server.port)/price.json"
        // When
        let result = run(
            "\(programs)/price-fetch", ["--timeout", "4s", "--once", "--url", url, "--price", "/p"],
            environment: ["SSL_CERT_FILE": Certificates.shared.authority])
        // Then
        let reading = try Reading(line: try #require(result.lines.first).utf8)
        #expect(reading.quote?.price.text == "68901.23" && result.status == 0)
    }

    @Test(arguments: Package.allCases) func `packaged programs need only glibc and libcurl from the system`(
        kind: Package
    ) throws {
        let programs = try install(kind)
        let libraries = "\(programs)/../lib/btc-price"
        let own = try FileManager.default.contentsOfDirectory(atPath: libraries)
        let system = [
            "libc.so.6", "libm.so.6", "libcurl.so.4", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
        ]
        for file in Programs.filters.map({ "\(programs)/\($0)" }) + own.map({ "\(libraries)/\($0)" }) {
            let dynamic = RunningProgram.run("objdump", ["-p", file]).output
            let needed = dynamic.matches(of: /NEEDED +(\S+)/).map { String($0.1) }
            #expect(!needed.isEmpty && Set(needed).subtracting(own).isSubset(of: system), "\(file)")
        }
    }

    @Test func `the archive states the required version of glibc, which Debian 12 provides`() throws {
        let programs = try install(.archive)
        let files =
            Programs.filters.map { "\(programs)/\($0)" } + ["\(programs)/../lib/btc-price/libswiftCore.so"]
        let symbols = RunningProgram.run("objdump", ["-T"] + files).output
        let versions = symbols.matches(of: /GLIBC_2\.(\d+)/).compactMap { Int($0.1) }
        let newest = try #require(versions.max())
        #expect(newest <= 36)
        let text = try String(contentsOfFile: "\(programs)/../INSTALL", encoding: .utf8)
        #expect(text.contains("It needs the C library glibc 2.\(newest) or later"))
    }

    @Test func `in any locale, the packaged price-format prints the same text as with all ICU data`() throws {
        let programs = try install(.archive)
        // No locale contains a symbol for the last currency.
        let lines = ["USD", "EUR", "JPY", "INR", "BRL", "XAF", "BGN", "ADP"].map {
            let quote = Self.quote.replacing("USD", with: $0)
            return #"{"tick":0,"at":"2026-11-21T14:03:07.000Z","source":"x","quote":\#(quote)}"#
        }
        for (number, locale) in Locale.availableIdentifiers.sorted().enumerated() {
            let words = ["--locale", locale, "--time-format", "EEEE d MMMM y HH:mm zzzz O a G"]
            let zone = ["TZ": ["UTC0", "<+0530>-5:30", "<-03>3"][number % 3]]
            func output(_ program: String) -> String {
                let input = lines.joined(separator: "\n")
                return RunningProgram.run(program, words, input: input, environment: zone).output
            }
            let packaged = output("\(programs)/price-format")
            #expect(packaged == output("price-format") && packaged.count { $0 == "\n" } == 8, "\(locale)")
        }
    }

    @Test func `the Debian package installs completions where Debian's shells look for them`() throws {
        let share = "\(try install(.debian))/../share"
        for file in [
            "zsh/vendor-completions/_btc-price", "bash-completion/completions/price-fetch",
            "fish/vendor_completions.d/price-fetch.fish",
        ] {
            #expect(FileManager.default.fileExists(atPath: "\(share)/\(file)"), "\(file)")
        }
    }

    @Test func `purging the Debian package removes all its files from /usr`() throws {
        _ = try install(.debian)
        #expect(dpkg("--purge", "btc-price").status == 0)
        #expect(RunningProgram.run("find", ["\(folder.path)/usr", "-type", "f"]).output == "")
    }

    @Test(arguments: Package.allCases)
    func `a package takes at most 6 megabytes, and at most 22 megabytes when installed`(kind: Package) throws
    {
        let attributes = try FileManager.default.attributesOfItem(atPath: try package(kind))
        #expect(try #require(attributes[.size] as? Int) <= 6_000_000)
        let folder = "\(try install(kind))/.."
        let sizes = RunningProgram.run("find", [folder, "-type", "f", "-printf", "%s\n"]).lines
        #expect(sizes.compactMap { Int($0) }.reduce(0, +) <= 22_000_000)
    }

    @Test(.enabled(if: Programs.has("lintian"), "needs lintian"))
    func `lintian accepts the Debian package without a warning`() throws {
        let result = RunningProgram.run("lintian", ["--fail-on", "error,warning", try package(.debian)])
        #expect(result.status == 0, "\(result.output)")
    }
}

private let folderOfPackages = ProcessInfo.processInfo.environment["BTC_PRICE_PACKAGES"]

/// The folder of the toolchain that builds the tests. If the toolchain is not found, this is the path of a
/// folder that does not exist.
private let toolchain: String = {
    let information = RunningProgram.run(
        "swiftc", ["-print-target-info"], environment: ProcessInfo.processInfo.environment)
    let path = information.output.firstMatch(of: #/"runtimeResourcePath": "(.*)/lib/swift"/#)?.1
    return path.map(String.init) ?? "/nowhere"
}()

/// A release begins with a tag, which is checked before anything is built.
@Suite(.endToEnd) struct TagTests {
    @Test(arguments: [
        ("v1.0.0", 0, ""),
        ("v1.0.1", 65, "package: error: the tag 'v1.0.1' is not v1.0.0, the version of these sources\n"),
        ("1.0.0", 65, "package: error: the tag '1.0.0' is not v1.0.0, the version of these sources\n"),
    ])
    func `a tag must match the version of the source code`(tag: String, status: Int32, errors: String) {
        let result = RunningProgram.run(
            Programs.project.appending(path: "scripts/package").path, ["--tag", tag])
        #expect(result.status == status && result.errors == errors && result.output == "")
    }
}
