import PipeCommon

/// Both ends of a connection, which no other open connection has. The port of one end is not enough: two connections to
/// different peers may share a local port.
struct Endpoints: Hashable {
    struct End: Hashable {
        /// Without a zone.
        let address: String
        let port: Int32

        /// - Parameter address: as libcurl writes it.
        init(_ address: UnsafePointer<CChar>?, _ port: Int32) {
            self.address = address.map { String(cString: $0) } ?? ""
            self.port = port
        }

        /// - Returns: nil for what is not the address of an IPv4 or IPv6 socket.
        fileprivate init?(
            of socket: Int32,
            _ name: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
        ) {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let port: UInt16? = withUnsafeMutablePointer(to: &storage) { storage in
                let address = UnsafeMutableRawPointer(storage)
                guard name(socket, address.assumingMemoryBound(to: sockaddr.self), &size) == 0 else {
                    return nil
                }
                let family = Int32(storage.pointee.ss_family)
                let place =
                    family == AF_INET
                    ? MemoryLayout<sockaddr_in>.offset(of: \.sin_addr)
                    : MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)
                guard inet_ntop(family, address + place!, &text, socklen_t(text.count)) != nil else {
                    return nil
                }
                // The port is at the same place for IPv4 and IPv6.
                return address.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port
            }
            guard let port else { return nil }
            self.init(text, Int32(UInt16(bigEndian: port)))
        }
    }

    let local: End
    let peer: End
}

extension Endpoints {
    /// Those of an open socket.
    init?(of socket: Int32) {
        guard let local = End(of: socket, getsockname), let peer = End(of: socket, getpeername) else {
            return nil
        }
        self.init(local: local, peer: peer)
    }
}
