import TestSupport

/// The network of the last source: its name needs a name server that is slow or silent at times, and has two addresses
/// at times, the first of which is dead.
final class FaultyNames: Sendable {
    private static let (dead, living): ([UInt8], [UInt8]) = ([127, 0, 0, 1], [127, 0, 0, 2])

    private let names: StubNameServer
    private let server: StubServer
    private let deadAddress: DeadAddress

    /// - Returns: nil if no name server can be started, or the programs cannot be made to use it.
    init?(_ weathervane: FaultyServer) {
        guard Programs.canMount, let names = StubNameServer() else { return nil }
        self.names = names
        server = StubServer(at: "127.0.0.2") { weathervane.answer($0.path) }
        deadAddress = DeadAddress(at: "127.0.0.1", port: server.port)
    }

    deinit { server.close() }

    func url(_ path: String) -> String { "http://btc-price.test:\(server.port)\(path)" }

    /// The file that sends all questions for names to the name server.
    var configuration: String { "nameserver \(names.address)\n" }

    func become(_ naming: Schedule.Naming) {
        switch naming {
        case .good: names.answer(Self.living)
        case .slow: names.answer(after: .milliseconds(900), Self.living)
        case .deadFirst: names.answer(Self.dead, Self.living)
        case .silent: names.fallSilent()
        }
    }
}
