import Synchronization
import TestSupport

/// The host name of the last exchange. Its name server is sometimes slow or silent, and sometimes returns two
/// addresses, the first of which is dead.
final class FaultyNames: Sendable {
    private static let (dead, living): ([UInt8], [UInt8]) = ([127, 0, 0, 1], [127, 0, 0, 2])
    /// The address of the exchange.
    static let host = "127.0.0.2"
    /// The host name of the exchange.
    static let name = "btc-price.test"

    private let names: StubNameServer
    private let deadAddress = Mutex<DeadAddress?>(nil)

    /// - Returns: nil if the name server cannot be started or the programs cannot be made to use it.
    init?() {
        guard Programs.canMount, let names = StubNameServer() else { return nil }
        self.names = names
    }

    /// Makes the dead address drop new connections to the port of the exchange.
    func listen(at port: UInt16) {
        deadAddress.withLock { $0 = DeadAddress(at: "127.0.0.1", port: port) }
    }

    /// The content of a `resolv.conf` that directs all lookups to the name server.
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
