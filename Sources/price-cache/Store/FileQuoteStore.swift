import PipeCommon

/// Keeps each quote in a file. The file is replaced by its draft in one step, so that a reader finds either the old
/// quote or the new one, whatever is killed at whatever moment.
struct FileQuoteStore: QuoteStore {
    /// Stored quotes are shorter than this number of bytes.
    private static let maxSize = 4096

    let location: StoreLocation

    func load(_ symbol: Symbol) throws(StoreError) -> StoredQuote? {
        guard let path = location.path(of: symbol), let bytes = try contents(of: path) else { return nil }
        do throws(InvalidInput) {
            let stored = try StoredQuote(line: bytes)
            guard Checksum.allows(bytes) else { throw InvalidInput("checksum mismatch") }
            guard stored.symbol == symbol else {
                throw InvalidInput("it holds a quote for \(stored.symbol.text)")
            }
            return stored
        } catch {
            throw StoreError(reason: "cannot use \(path): \(error.reason)")
        }
    }

    func save(_ quote: StoredQuote) throws(StoreError) {
        guard let path = location.path(of: quote.symbol) else {
            throw StoreError(reason: "cannot store quotes: no home directory")
        }
        if let directory = location.ownDirectory, access(directory, F_OK) != 0 { makeDirectories(directory) }
        let draft = try Draft(of: path)
        // A file that cannot be used is replaced.
        if let stored = try? load(quote.symbol),
            Recency.isNewer(stored.quote, than: quote.quote, at: .now())
        {
            return
        }
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw StoreError(reason: "cannot write \(path): not a regular file")
        }
        try draft.commit(Checksum.added(to: quote.line) + [UInt8(ascii: "\n")])
    }

    func sweep() {
        for path in location.filesWithDraft { Draft.sweep(path) }
    }

    private func contents(of path: String) throws(StoreError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .failed("read", path, errno)
        }
        defer { close(file) }
        guard isRegular(file) else { throw StoreError(reason: "cannot read \(path): not a regular file") }
        var size = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.maxSize) { buffer, count in
            size = read(file, buffer.baseAddress, buffer.count)
            count = max(0, size)
        }
        guard size >= 0 else { throw .failed("read", path, errno) }
        guard size < Self.maxSize else {
            throw StoreError(reason: "cannot use \(path): too large for a quote")
        }
        return bytes
    }

    private func isRegular(_ file: Int32) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Creates the missing directories of a path. A failure shows when the file is written.
    private func makeDirectories(_ path: String) {
        for end in path.indices.dropFirst() where path[end] == "/" { mkdir(String(path[..<end]), 0o700) }
        mkdir(path, 0o700)
    }
}
