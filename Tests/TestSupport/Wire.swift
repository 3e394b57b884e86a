import Foundation

/// One connection of a server, plain or encrypted.
struct Wire {
    let socket: Int32
    private let session: TLSContext.Session?

    /// - Returns: nil after a TLS handshake that has failed.
    init?(_ socket: Int32, _ encryption: TLSContext?) {
        self.socket = socket
        session = encryption?.accept(socket)
        if encryption != nil, session == nil { return nil }
    }

    func receive() -> UInt8? {
        var byte: UInt8 = 0
        let count = session.map { $0.receive(&byte) } ?? Int32(recv(socket, &byte, 1, 0))
        return count == 1 ? byte : nil
    }

    /// Sends bytes, encrypted as one record where there is TLS.
    func send(_ bytes: [UInt8]) -> Bool {
        session.map { bytes.isEmpty || $0.send(bytes) } ?? Loopback.sendAll(socket, bytes)
    }

    func end() {
        session?.end()
    }
}
