import PipeCommon

/// Claims to refresh stored files, so that of several programs that find a file expired only one asks the network. A claim
/// is a lock on the file that is to be replaced, or on its directory while there is none. So it ends with the
/// claimant or with the file, and at the latest after two seconds.
struct RefreshClaims: ~Copyable {
    private static let longest = Duration.seconds(2)

    private struct Claim {
        let lock: Int32
        let end: Deadline
        /// The files that do not exist yet and share the claim on their directory.
        var missing: Set<String> = []
    }

    private let duration: Duration
    /// By the path of what is locked.
    private var claims: [String: Claim] = [:]

    /// - Parameter limit: how long a claim lasts at most, if that is less than two seconds.
    init(atMost limit: Duration) {
        duration = min(limit, Self.longest)
    }

    deinit {
        for claim in claims.values { close(claim.lock) }
    }

    /// When the next claim ends by itself.
    var nextEnd: Deadline? { claims.values.map(\.end).min() }

    /// - Returns: false while another program has the claim. Where nothing can be locked, every program has it.
    mutating func claim(_ path: String, at now: Deadline.Instant) -> Bool {
        let isMissing = access(path, F_OK) != 0
        let place = isMissing ? Self.directory(of: path) : path
        if claims[place] == nil {
            let lock = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
            guard lock >= 0 else { return true }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
                defer { close(lock) }
                return errno != EWOULDBLOCK
            }
            claims[place] = Claim(lock: lock, end: Deadline(in: duration, from: now))
        }
        if isMissing { claims[place]?.missing.insert(path) }
        return true
    }

    /// Ends the claims on files that were replaced, and those whose time is up.
    mutating func endClaims(at now: Deadline.Instant) {
        for (place, claim) in claims where claim.end.hasPassed(at: now) || Self.isRefreshed(place, claim) {
            close(claim.lock)
            claims[place] = nil
        }
    }

    private static func isRefreshed(_ place: String, _ claim: Claim) -> Bool {
        guard claim.missing.isEmpty else { return claim.missing.allSatisfy { access($0, F_OK) == 0 } }
        var (locked, found) = (stat(), stat())
        return fstat(claim.lock, &locked) != 0 || lstat(place, &found) != 0 || locked.st_ino != found.st_ino
    }

    private static func directory(of path: String) -> String {
        guard let end = path.lastIndex(of: "/") else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}
