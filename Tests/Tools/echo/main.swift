import PipeCommon

// Connects to a WebSocket server and sends every message back, with its opcode, until the server closes. It is the
// client that a conformance suite drives.
guard CommandLine.arguments.count == 2, let address = WebSocketAddress(CommandLine.arguments[1]) else {
    Diagnostics(program: "wsecho").error("usage: wsecho ws://HOST[:PORT]/PATH")
    exit(ExitStatus.usage.rawValue)
}
var (problem, wasOpened) = (String?.none, false)
let connection = FeedConnection(address, silenceLimit: .seconds(60)) { problem = $0 }
while problem == nil {
    var watched = connection.watched
    _ = poll(&watched, nfds_t(watched.count), connection.nextDeadline?.pollTimeout ?? -1)
    for event in connection.advance(watched, at: .now) {
        switch event {
        case .opened: wasOpened = true
        case .text(let bytes): connection.send(bytes)
        case .binary(let bytes): connection.send(bytes, as: .binary)
        case .pong, .suspended: break
        }
    }
}
if let problem, !wasOpened {
    Diagnostics(program: "wsecho").error(problem)
    exit(ExitStatus.noQuote.rawValue)
}
