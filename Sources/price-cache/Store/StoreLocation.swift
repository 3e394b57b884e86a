import PipeCommon

/// The file or the directory in which quotes are stored.
enum StoreLocation: Sendable {
    /// The kinds of files that are stored side by side: nil for the last quote, otherwise the length of the candles.
    private static let kinds: [Candle?] = [nil] + Candle.allCases

    /// A file for the last quote of one symbol, with the candle files beside it.
    case file(String)
    /// A directory for files such as `SYMBOL.json` and `SYMBOL~1d.json`. A missing directory is created when quotes are
    /// saved. The path is nil if the directory is unknown because the user does not have a home directory.
    case directory(String?)

    /// The user's cache directory: `${XDG_CACHE_HOME:-~/.cache}/btc-price`.
    static var cacheDirectory: StoreLocation {
        // The XDG specification says that relative paths should be ignored.
        if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") {
            return .directory("\(caches)/btc-price")
        }
        return .directory(home.map { "\($0)/.cache/btc-price" })
    }

    /// - Returns: the path of the subject's file; nil if the path of the directory is nil.
    func path(of name: Subject) -> String? {
        switch self {
        case .file(let path): Subject.path(path, name.candle)
        case .directory(let directory): directory.map { "\($0)/\(name.file)" }
        }
    }

    /// The paths of the files for which a draft may exist.
    var filesWithDraft: [String] {
        switch self {
        case .file(let path): Self.kinds.map { Subject.path(path, $0) }
        case .directory(let directory):
            (directory.flatMap(names) ?? []).filter { $0.hasPrefix(".") && $0.hasSuffix(Draft.suffix) }
                .map { String($0.dropFirst().dropLast(Draft.suffix.count)) }
                .filter { Subject(file: $0) != nil }
                .map { "\(directory!)/\($0)" }
        }
    }

    /// A file that may exist in the store.
    ///
    /// - Parameter symbol: nil for a file that the user specified, and for the candle files beside it.
    typealias File = (path: String, symbol: Symbol?, candle: Candle?)

    /// The stored files, sorted by name; if the user specified a file, that file and its candle files, even if they do
    /// not exist.
    func files() throws(StoreError) -> [File] {
        switch self {
        case .file(let path): return Self.kinds.map { (Subject.path(path, $0), nil, $0) }
        case .directory(let directory):
            guard let directory else { return [] }
            guard let names = names(in: directory) else {
                if errno == ENOENT { return [] }
                throw .failed("read", directory, errno)
            }
            return names.sorted().compactMap { name in
                Subject(file: name).map { ("\(directory)/\(name)", $0.symbol, $0.candle) }
            }
        }
    }

    /// Creates our own directory if it is missing, but not the directory of a file that the user has specified. Does
    /// not report why a directory cannot be created.
    ///
    /// - Returns: whether our own directory is in use and exists now.
    func makeDirectory() -> Bool {
        guard case .directory(let path?) = self else { return false }
        for end in path.indices.dropFirst() where path[end] == "/" {
            createDirectory(String(path[..<end]))
        }
        createDirectory(path)
        return exists(path)
    }

    private static var home: String? {
        environment("HOME") ?? homeDirectory()
    }

    private static func environment(_ name: String) -> String? {
        environmentVariable(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The names of stored files. A file contains the last quote of one symbol, or one symbol's candles of one length.
extension Subject {
    private static let ending = ".json"
    /// The character that precedes the candle length in a file name. It cannot occur in a symbol, so in our own
    /// directory, a candle file never has the same name as the quote file of another symbol.
    private static let separator: Character = "~"

    /// - Returns: nil if no stored file in our own directory can have this name.
    init?(file: String) {
        guard file.hasSuffix(Self.ending) else { return nil }
        let parts = file.dropLast(Self.ending.count).split(
            separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
        guard let symbol = Symbol(String(parts[0])) else { return nil }
        let candle = parts.count > 1 ? Candle(rawValue: String(parts[1])) : nil
        guard parts.count == 1 || candle != nil else { return nil }
        self.init(symbol, candle)
    }

    /// The name of the subject's file, such as `BTC-USD.json` or `BTC-USD~1d.json`.
    var file: String { Self.path("\(symbol.text)\(Self.ending)", candle) }

    /// The path of the candle file beside a quote's file, such as `quote~1d.json` beside `quote.json`; without a
    /// candle, the path of the quote's file itself.
    static func path(_ path: String, _ candle: Candle?) -> String {
        guard let candle else { return path }
        guard path.hasSuffix(ending) else { return "\(path)\(separator)\(candle.rawValue)" }
        return "\(path.dropLast(ending.count))\(separator)\(candle.rawValue)\(ending)"
    }
}
