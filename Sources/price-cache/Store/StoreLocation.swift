import PipeCommon

/// Where the quotes are kept.
enum StoreLocation: Sendable {
    /// One file for whatever symbol comes.
    case file(String)
    /// `SYMBOL.json` in a directory that is ours to make; nil for a user without a home.
    case directory(String?)

    /// `${XDG_CACHE_HOME:-~/.cache}/btc-price`.
    static var cacheDirectory: StoreLocation {
        // The XDG specification has relative paths ignored.
        if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") {
            return .directory("\(caches)/btc-price")
        }
        return .directory(home.map { "\($0)/.cache/btc-price" })
    }

    /// - Returns: nil when the user has no home.
    func path(of symbol: Symbol) -> String? {
        switch self {
        case .file(let path): path
        case .directory(let directory): directory.map { "\($0)/\(symbol.text).json" }
        }
    }

    /// What lies beside the quotes under their names with an ending.
    func neighbours(_ ending: String) -> [String] {
        if case .file(let path) = self { return access(path + ending, F_OK) == 0 ? [path + ending] : [] }
        guard let directory = ownDirectory, let entries = opendir(directory) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                names.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
            }
        }
        return names.filter { $0.hasSuffix(".json" + ending) }.map { "\(directory)/\($0)" }
    }

    /// The directory that is ours to make; nil where the user named a file.
    var ownDirectory: String? {
        if case .directory(let directory) = self { directory } else { nil }
    }

    private static var home: String? {
        environment("HOME") ?? getpwuid(getuid()).flatMap { $0.pointee.pw_dir }.map { String(cString: $0) }
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
