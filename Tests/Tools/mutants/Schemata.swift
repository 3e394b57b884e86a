import Foundation

/// A change that was drawn at random. In the copied source code, `mutant(17)` is true while the change with
/// number 17 is active.
struct Mutant {
    let number: Int
    let site: Site
}

/// A copy of the project into which the drawn changes are compiled; at most one change at a time is active.
struct Schemata {
    /// The folder of the copy.
    let folder: URL
    /// A symbolic link whose target is the number of the active mutant. Reading a link takes a single system call and
    /// does not need a descriptor. This matters because some tests limit the descriptors or system calls of a program.
    let chosen: URL
    private let originals: [String: String]

    /// All possible changes, sorted by the path of the file.
    var sites: [Site] {
        originals.keys.sorted().flatMap { SiteFinder.sites(in: originals[$0]!, of: $0) }
    }

    /// - Parameter work: the folder in which to create the copy.
    init(copying project: URL, into work: URL) throws {
        folder = work.appending(path: "main")
        chosen = work.appending(path: "mutant")
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: false)
        for name in try files.contentsOfDirectory(atPath: project.path)
        where name != ".git" && name != "dist" && !name.hasPrefix(".build") {
            try files.copyItem(at: project.appending(path: name), to: folder.appending(path: name))
        }
        var originals: [String: String] = [:]
        for path in try files.subpathsOfDirectory(atPath: folder.appending(path: "Sources").path)
        where path.hasSuffix(".swift") {
            let file = folder.appending(path: "Sources/\(path)")
            originals["Sources/\(path)"] = try String(contentsOf: file, encoding: .utf8)
        }
        self.originals = originals
        // The in-memory folders of the tests must also be inside the work folder, so that they are removed with it.
        let support = folder.appending(path: "Tests/TestSupport/Programs.swift")
        let text = try String(contentsOf: support, encoding: .utf8)
        let memory = work.appending(path: "tmp").path
        try text.replacingOccurrences(of: "\"/dev/shm\"", with: "\"\(memory)\"").write(
            to: support, atomically: true, encoding: .utf8)
        for module in Set(originals.keys.map { $0.split(separator: "/")[1] }) {
            try writeSwitch("Sources/\(module)")
        }
    }

    private func writeSwitch(_ module: String) throws {
        let code = """
            import Glibc

            private let chosen: Int = {
                var text = [CChar](repeating: 0, count: 16)
                _ = readlink("\(chosen.path)", &text, 15)
                return Int(atol(text))
            }()

            public func mutant(_ number: Int) -> Bool { number == chosen }

            """
        let file = folder.appending(path: "\(module)/Mutant.swift")
        try code.write(to: file, atomically: true, encoding: .utf8)
    }

    /// - Parameter number: the number of the mutant to activate; 0 for none.
    func choose(_ number: Int) throws {
        try? FileManager.default.removeItem(at: chosen)
        try FileManager.default.createSymbolicLink(atPath: chosen.path, withDestinationPath: "\(number)")
    }

    /// Writes the mutants into the files of the copy. A file whose text does not change is not written.
    func write(_ mutants: [Mutant]) throws {
        let byFile = Dictionary(grouping: mutants, by: \.site.file)
        for (path, original) in originals {
            let file = folder.appending(path: path)
            let text = Rewriting(original, byFile[path] ?? []).text
            if try String(contentsOf: file, encoding: .utf8) != text {
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
        }
    }

    /// The mutants that may have caused a compiler error in a line of a file. If that line contains mutants,
    /// these mutants are returned. Otherwise, the mutants in the closest line above are returned or, if there
    /// are none above, the mutants in the closest line below.
    ///
    /// - Parameter isLong: whether the compiler took too long to check an expression. If so, the closest line below is
    ///   preferred to the closest line above.
    func suspects(_ path: String, line: Int, isLong: Bool) throws -> Set<Int> {
        let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.matches(of: /mutant\((\d+)\)/).compactMap { Int($0.output.1) }
        }
        let (above, below) = (lines.prefix(line), lines.dropFirst(line - 1))
        let (last, next) = (above.last { !$0.isEmpty }, below.first { !$0.isEmpty })
        return Set((isLong ? next ?? last : last ?? next) ?? [])
    }
}

/// The text of a file with its mutants written into it.
private struct Rewriting {
    private let bytes: [UInt8]
    private let mutants: [Mutant]

    init(_ text: String, _ mutants: [Mutant]) {
        bytes = Array(text.utf8)
        self.mutants = mutants.sorted {
            let (a, b) = ($0.site, $1.site)
            return (a.range.lowerBound, -a.range.upperBound, a.order)
                < (b.range.lowerBound, -b.range.upperBound, b.order)
        }
    }

    var text: String { text(0..<bytes.count, mutants[...]) }

    /// - Parameter mutants: the mutants to write into the range, all of which lie within it.
    private func text(_ range: Range<Int>, _ mutants: ArraySlice<Mutant>) -> String {
        var (result, place, rest) = ("", range.lowerBound, mutants)
        while let mutant = rest.popFirst() {
            let here = mutant.site.range
            let inner = rest.prefix { $0.site.range.upperBound <= here.upperBound }
            rest = rest.dropFirst(inner.count)
            result += plain(place..<here.lowerBound) + text(of: mutant, inner)
            place = here.upperBound
        }
        return result + plain(place..<range.upperBound)
    }

    private func plain(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func text(of mutant: Mutant, _ inner: ArraySlice<Mutant>) -> String {
        let (range, number) = (mutant.site.range, mutant.number)
        let body = text(range, inner)
        func part(_ part: Range<Int>) -> String {
            text(part, inner.filter { part.contains($0.site.range.lowerBound) }[...])
        }
        func changed(_ sign: Range<Int>, _ other: String) -> String {
            part(range.lowerBound..<sign.lowerBound) + other + part(sign.upperBound..<range.upperBound)
        }
        switch mutant.site.change {
        case .delete: return "if !mutant(\(number)) { \(body) }"
        case .negate: return "(mutant(\(number)) != (\(body)))"
        case .constant(let other): return "(mutant(\(number)) ? \(other) : \(body))"
        case .infix(let other, let sign): return "(mutant(\(number)) ? (\(changed(sign, other))) : (\(body)))"
        case .assign(let other, let sign):
            return "if mutant(\(number)) { \(changed(sign, other)) } else { \(body) }"
        }
    }
}
