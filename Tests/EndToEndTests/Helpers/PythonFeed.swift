import Foundation
import TestSupport

/// The push feed of Binance on the `websockets` library of the system's Python. It sends each price in fragments, then
/// pings, and sends the next price when its ping has been answered.
final class PythonFeed {
    private static let python = "/usr/bin/python3"
    static let isInstalled = RunningProgram.run(python, ["-c", "import websockets"]).status == 0

    let url: String
    private let folder = TemporaryFolder()
    private let running: RunningProgram

    /// - Parameter certificate: the kind of certificate to show; without one there is no TLS.
    init(certificate: String? = nil) {
        let port = Loopback.freePort()
        url = "\(certificate == nil ? "ws://127.0.0.1" : "wss://localhost"):\(port)/"
        folder.write("feed.py", Self.script)
        let named = certificate.map { "\(Certificates.shared.folder.path)/\($0)" }
        let files = named.map { ["\($0).pem", "\($0).key"] } ?? []
        running = RunningProgram(Self.python, ["\(folder.path)/feed.py", "\(port)"] + files)
        running.waitUntil(within: .seconds(10)) { Loopback.isListening(port) }
    }

    deinit {
        running.signal(SIGTERM)
        _ = running.result(within: .seconds(5))
    }

    /// BTCUSDT begins at 100.50, each other market a hundred higher, and all rise by one.
    private static let script = #"""
        import asyncio, json, ssl, sys
        import websockets

        async def feed(connection, path=None):
            markets = []
            async def receive():
                async for message in connection:
                    request = json.loads(message)
                    markets.extend(stream.split("@")[0].upper() for stream in request["params"])
                    await connection.send(json.dumps({"result": None, "id": request["id"]}))
            receiving = asyncio.ensure_future(receive())
            beat = 0
            while not receiving.done():
                for place, market in enumerate(sorted(markets)):
                    ticker = {"e": "24hrMiniTicker", "s": market, "c": f"{(place + 1) * 100 + beat}.50"}
                    text = json.dumps({"stream": market.lower() + "@miniTicker", "data": ticker})
                    await connection.send([text[place:place + 7] for place in range(0, len(text), 7)])
                await asyncio.wait_for(await connection.ping(), 10)
                beat += len(markets) > 0
                await asyncio.sleep(0.02)

        async def main():
            encryption = None
            if len(sys.argv) > 2:
                encryption = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                encryption.load_cert_chain(*sys.argv[2:])
            async with websockets.serve(feed, "localhost", int(sys.argv[1]), ssl=encryption):
                await asyncio.Future()

        asyncio.run(main())
        """#
}
