import TestSupport

/// The network of the last exchange: its name needs a name server that is slow or silent at times, and has two
/// addresses at times, the first of which is dead.
final class FaultyNames: Sendable {
    private static let (dead, living): ([UInt8], [UInt8]) = ([127, 0, 0, 1], [127, 0, 0, 2])
    /// The address at which the exchange is.
    static let host = "127.0.0.2"
    /// Its name.
    static let name = "btc-price.test"

    private let names: StubNameServer
    private let deadAddress: DeadAddress

    /// - Returns: nil if no name server can be started, or the programs cannot be made to use it.
    init?(port: UInt16) {
        guard Programs.canMount, let names = StubNameServer() else { return nil }
        self.names = names
        deadAddress = DeadAddress(at: "127.0.0.1", port: port)
    }

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
