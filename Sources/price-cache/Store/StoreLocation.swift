import PipeCommon

/// The place where the quotes are stored.
enum StoreLocation: Sendable {
    /// One file, whatever the symbol is.
    case file(String)
    /// `SYMBOL.json` in a directory that is created when it is missing; nil for a user without a home.
    case directory(String?)

    /// `${XDG_CACHE_HOME:-~/.cache}/btc-price`.
    static var cacheDirectory: StoreLocation {
        // The XDG specification says that relative paths are to be ignored.
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

    /// The files that may have a draft.
    var filesWithDraft: [String] {
        if case .file(let path) = self { return [path] }
        guard let directory = ownDirectory else { return [] }
        return names(inDirectory: directory).filter {
            $0.hasPrefix(".") && $0.hasSuffix(".json" + Draft.suffix)
        }
        .map { "\(directory)/\($0.dropFirst().dropLast(Draft.suffix.count))" }
    }

    /// The directory to create; nil for a file that the user has named.
    var ownDirectory: String? {
        if case .directory(let directory) = self { directory } else { nil }
    }

    private static var home: String? {
        environment("HOME") ?? getpwuid(getuid()).flatMap { $0.pointee.pw_dir }.map { String(cString: $0) }
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func names(inDirectory path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                names.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
            }
        }
        return names
    }
}
