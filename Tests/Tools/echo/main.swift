import PipeCommon

// Connects to a WebSocket server and sends every message back, with its opcode, until the server closes: the client that a
// conformance suite drives.
guard CommandLine.arguments.count == 2, let address = WebSocketAddress(CommandLine.arguments[1]) else {
    Diagnostics(program: "wsecho").error("usage: wsecho ws://HOST[:PORT]/PATH")
    exit(ExitStatus.usage.rawValue)
}
let client = WebSocketClient(
    address, over: CurlStream(address.transport, connectWithin: WebSocketClient.openingLimit), at: .now)
client.advance([], at: .now)
while !client.state.isOver {
    var watched = client.watched
    _ = poll(&watched, nfds_t(watched.count), client.nextDeadline?.pollTimeout ?? -1)
    client.advance(watched, at: .now)
    for event in client.takeEvents() {
        switch event {
        case .text(let bytes): client.send(.text, bytes)
        case .binary(let bytes): client.send(.binary, bytes)
        case .pong, .closed: break
        }
    }
}
switch client.state {
case .ended(.refused), .ended(.notOpened):
    Diagnostics(program: "wsecho").error("\(address.transport.host): \(client.state)")
    exit(ExitStatus.noQuote.rawValue)
default: break
}
