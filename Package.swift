// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
    // The codec is one module, and used line by line in the others.
    .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

func program(_ name: String, _ more: Target.Dependency..., linking: [LinkerSetting] = []) -> Target {
    .executableTarget(
        name: name, dependencies: ["PipeCommon"] + more, exclude: ["\(name).1"], swiftSettings: strict,
        linkerSettings: linking)
}

func tests(_ name: String, of modules: Target.Dependency...) -> Target {
    .testTarget(name: name, dependencies: ["PipeCommon", "TestSupport"] + modules, swiftSettings: strict)
}

// The library itself: a machine that can run the toolchain's Foundation has it, but rarely its development package.
let curl: [LinkerSetting] = [
    .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux])),
    .linkedLibrary("curl", .when(platforms: [.macOS])),
]

let programs: [Target] = [
    program("price-fetch", "CCurl", linking: curl),
    .systemLibrary(name: "CCurl"),
    program("price-fallback"),
    program("price-cache"),
    program("price-format"),
    .target(name: "PipeCommon", swiftSettings: strict),
]

let testsAndTools: [Target] = [
    tests("PipeCommonTests"),
    tests("FetchTests", of: "price-fetch"),
    tests("FallbackTests", of: "price-fallback"),
    tests("CacheTests", of: "price-cache"),
    tests("FormatTests", of: "price-format"),
    tests("EndToEndTests", of: "price-fetch", "price-fallback", "price-cache", "price-format", "soak"),
    .target(
        name: "TestSupport", dependencies: ["PipeCommon"], path: "Tests/TestSupport",
        swiftSettings: strict),
    .executableTarget(
        name: "bench", dependencies: ["PipeCommon", "TestSupport"], path: "Tests/Bench",
        swiftSettings: strict),
    .executableTarget(
        name: "soak", dependencies: ["PipeCommon", "TestSupport"], path: "Tests/Soak",
        swiftSettings: strict),
]

// Set by scripts/btc-price, so that its first build takes no longer than needed.
let programsOnly = Context.environment["BTC_PRICE_PROGRAMS_ONLY"] != nil

let package = Package(
    name: "btc-price",
    platforms: [.macOS(.v15)],
    targets: programs + (programsOnly ? [] : testsAndTools)
)
