// swift-tools-version: 6.2
// Version 6.2 is the first version whose manifests support `treatAllWarnings`.
import PackageDescription

// scripts/test, `scripts/soak --rows` and CI set BTC_PRICE_STRICT to turn warnings into errors. If it is not set, a
// warning from a newer compiler does not break the build.
let isStrict = Context.environment["BTC_PRICE_STRICT"] != nil
// The name of the group of targets to build; nil for all targets. See `targets` below.
let wanted = Context.environment["BTC_PRICE_TARGETS"]

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        // Lets the compiler inline PipeCommon's per-line code into the programs, which makes price-cache and
        // price-format 8% faster. SwiftPM allows unsafe flags here because no other package depends on this package.
        .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

// The programs use neither Swift's concurrency nor its regular expressions. By default, every module nevertheless
// imports the libraries for both, and loading these libraries takes more than half a megabyte of memory in every
// process. The flags below prevent the imports.
let lean: [SwiftSetting] = [
    .unsafeFlags([
        "-Xfrontend", "-disable-implicit-concurrency-module-import",
        "-Xfrontend", "-disable-implicit-string-processing-module-import",
    ])
]

// The complete tests run optimized programs, as in a release build. Optimization also shortens these tests by a
// quarter. For the demo and for the tests that `scripts/test --fast` runs, optimization would take more time than it
// saves.
let optimized: [SwiftSetting] =
    wanted == "fast-tests" || wanted == "demo" ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))]

func program(_ name: String, _ more: Target.Dependency..., linking: [LinkerSetting] = []) -> Target {
    .executableTarget(
        name: name, dependencies: ["PipeCommon"] + more, exclude: ["\(name).1"],
        swiftSettings: settings + lean + optimized + [.strictMemorySafety()],
        linkerSettings: linking)
}

func tests(_ name: String, of modules: Target.Dependency..., besides data: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: ["PipeCommon", "TestSupport", "TestTraits"] + modules, exclude: data,
        swiftSettings: settings
    )
}

// On Linux, libcurl is linked by its file name, because linking by the name `curl` requires libcurl's development
// package. That package may be missing, but every machine that can run SwiftPM has libcurl itself.
let curl: [LinkerSetting] = [
    .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux])),
    .linkedLibrary("curl", .when(platforms: [.macOS])),
]

// On Linux, price-format links the ICU library that comes with the toolchain's Foundation; see Sources/CICU.
// scripts/package sets BTC_PRICE_ICU to link a copy of ICU with less data instead.
let icu: [LinkerSetting] = [
    .linkedLibrary(Context.environment["BTC_PRICE_ICU"] ?? "_FoundationICU", .when(platforms: [.linux])),
    .linkedLibrary("icucore", .when(platforms: [.macOS])),
]

let programs: [Target] = [
    program("price-fetch", "CCurl", linking: curl),
    .systemLibrary(name: "CCurl"),
    program("price-fallback"),
    program("price-cache"),
    program("price-format", "CICU", linking: icu),
    .systemLibrary(name: "CICU"),
    .target(name: "PipeCommon", swiftSettings: settings + lean + optimized + [.strictMemorySafety()]),
]

let fastTests: [Target] = [
    tests("PipeCommonTests", besides: ["malformed.tsv"]),
    tests("FetchTests", of: "price-fetch", besides: ["Samples"]),
    tests("FallbackTests", of: "price-fallback"),
    tests("CacheTests", of: "price-cache"),
    tests("FormatTests", of: "price-format", besides: ["Charts", "Frames"]),
    tests("ProgramTests"),
    .target(
        name: "TestSupport", dependencies: ["PipeCommon"], path: "Tests/TestSupport",
        swiftSettings: settings + optimized),
    .target(
        name: "TestTraits", dependencies: ["TestSupport"], path: "Tests/TestTraits",
        swiftSettings: settings + optimized),
]

let slowTestsAndTools: [Target] = [
    tests(
        "EndToEndTests", of: "price-fetch", "price-fallback", "price-cache", "price-format", "bench", "soak",
        besides: ["Cases", "Exchanges/Samples"]),
    .executableTarget(
        name: "bench", dependencies: ["PipeCommon", "TestSupport"], path: "Tests/Tools/bench",
        swiftSettings: settings + optimized),
    .executableTarget(
        name: "soak", dependencies: ["PipeCommon", "TestSupport"], path: "Tests/Tools/soak",
        swiftSettings: settings + optimized),
]

// To save time, some scripts set BTC_PRICE_TARGETS and build only the targets that they need: scripts/build and
// scripts/package need the programs, and `scripts/test --fast` also needs the tests that it runs.
let targets =
    switch wanted {
    case "programs", "demo": programs
    case "fast-tests": programs + fastTests
    default: programs + fastTests + slowTestsAndTools
    }

let package = Package(
    name: "btc-price",
    platforms: [.macOS(.v15)],
    targets: targets
)
