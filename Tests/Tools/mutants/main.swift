import Dispatch
import Foundation

setvbuf(stdout, nil, _IOLBF, 0)
let arguments = CommandLine.arguments
let (work, project) = (URL(filePath: arguments[1]), URL(filePath: arguments[2]))
let (count, seed) = (Int(arguments[3])!, UInt64(arguments[4])!)

// The work folder is not removed here: the script that started this program removes it.
let signals = [SIGINT, SIGTERM, SIGHUP].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
        Run.endAll(of: work)
        exit(128 + number)
    }
    source.resume()
    return source
}

_ = FileManager.default.changeCurrentDirectoryPath(work.path)
try FileManager.default.createDirectory(at: work.appending(path: "tmp"), withIntermediateDirectories: false)
let schemata = try Schemata(copying: project, into: work)
var random = SeededRandom(seed)
let sites = schemata.sites
print("\(sites.count) possible changes; \(count) are drawn with seed \(seed)")
let mutants = try builtMutants(sites.shuffled(using: &random))
let trials = try Trials(of: schemata, in: work)

var (killed, survivors) = (0, [String]())
for (index, mutant) in mutants.enumerated() {
    let start = Date()
    try schemata.choose(mutant.number)
    let killer = trials.killer(of: mutant.site.module)
    let site = "\(mutant.site.file):\(mutant.site.line) \(mutant.site.text)"
    if killer == nil { survivors.append(site) } else { killed += 1 }
    let end = killer.map { "killed by \($0)" } ?? "SURVIVED"
    print("\(index + 1)/\(mutants.count), \(Int(Date().timeIntervalSince(start))) s: \(site)\n    \(end)")
}
print("\(killed) of \(mutants.count) killed: \(killed * 100 / max(1, mutants.count)) %. Survivors:")
for survivor in survivors { print("- \(survivor)") }

/// The first `count` drawn mutants that compile. The modules are built one after another, and the compiler
/// errors show which mutants do not compile. Each build includes a third more mutants than wanted.
func builtMutants(_ drawn: [Site]) throws -> [Mutant] {
    let all = drawn.enumerated().map { Mutant(number: $0 + 1, site: $1) }
    var bad: Set<Int> = []
    while true {
        let mutants = all.filter { !bad.contains($0.number) }.prefix(count + count / 3)
        try schemata.write(Array(mutants))
        let found = try newErrors()
        if found.isEmpty { return Array(mutants.prefix(count)) }
        print("    changes that do not compile are replaced: \(found.sorted())")
        bad.formUnion(found)
    }
}

func newErrors() throws -> Set<Int> {
    let modules = ["PipeCommon", "price-fetch", "price-fallback", "price-cache", "price-format"]
    for options in modules.map({ ["--target", $0] }) + [["--build-tests"]] {
        print("building: \(options.joined(separator: " "))")
        let bad = try errors(options)
        if !bad.isEmpty { return bad }
    }
    return []
}

/// Builds the copy and returns the numbers of the mutants that may have caused compiler errors, or an empty set if the
/// build succeeds.
func errors(_ options: [String]) throws -> Set<Int> {
    var (bad, messages): (Set<Int>, [String]) = ([], [])
    let command = ["swift", "build", "--package-path", schemata.folder.path] + options
    let ending = Run(in: work, limit: 3600)(command) { line in
        if line.contains("error:") { messages.append(line) }
        guard let error = line.firstMatch(of: #//main/(Sources/.*\.swift):(\d+):\d+: error: (.*)/#) else {
            return false
        }
        let (file, line) = (String(error.output.1), Int(error.output.2)!)
        let isLong = error.output.3.contains("reasonable time")
        bad.formUnion((try? schemata.suspects(file, line: line, isLong: isLong)) ?? [])
        return false
    }
    if ending != .status(0), bad.isEmpty {
        fatalError("the copy cannot be built: \(messages.joined(separator: "\n"))")
    }
    return ending == .status(0) ? [] : bad
}
