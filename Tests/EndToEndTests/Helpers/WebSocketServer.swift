import Foundation
import TestSupport

/// `websocketd`, which turns any command into a WebSocket server: the command reads a client's messages as
/// lines, and each line of its output is sent as a message.
final class WebSocketServer {
    static let isInstalled = Programs.has("websocketd")

    let port: UInt16
    let folder: TemporaryFolder
    private let certificate: String?
    private let script: String
    private var running: RunningProgram?

    /// - Parameters:
    ///   - script: the bash script that is run for each connection.
    ///   - certificate: the name of a certificate in `Certificates`; nil for a server without TLS.
    init(_ script: String, certificate: String? = nil) {
        (self.script, self.certificate) = (script, certificate)
        port = Loopback.freePort()
        folder = TemporaryFolder()
        start()
    }

    var url: String {
        "\(certificate == nil ? "ws://127.0.0.1" : "wss://localhost"):\(port)/"
    }

    func start() {
        let named = "\(Certificates.shared.folder.path)/\(certificate ?? "")"
        let tls = certificate == nil ? [] : ["--ssl", "--sslcert=\(named).pem", "--sslkey=\(named).key"]
        let words =
            ["--port=\(port)", "--address=\(certificate == nil ? "127.0.0.1" : "localhost")"] + tls + [
                "--passenv=PATH,FOLDER,LD_LIBRARY_PATH", "bash", "-c", script,
            ]
        running = RunningProgram("websocketd", words, environment: ["FOLDER": folder.path])
        running?.waitUntil { Loopback.isListening(port) }
    }

    /// Ends the server and its connections.
    func stop() {
        running?.signal(SIGTERM)
        _ = running?.result(within: .seconds(5))
        running = nil
    }

    deinit { stop() }

    /// A script that imitates Coinbase's feed. It sends the price in the file `price` for every symbol of the
    /// latest request, and again whenever the price changes. Requests for NO-USD are rejected. Connections and
    /// requests are logged to the files `connections` and `requests`.
    static let coinbase = """
        echo x >>"$FOLDER/connections"
        last=
        while :; do
            price=$(cat "$FOLDER/price")
            # If `read -t 0.1` timed out in the middle of a line, the part already read would be lost.
            if read -r -t 0; then
                read -r line || exit
                echo "$line" >>"$FOLDER/requests"
                if [[ $line == *NO-USD* ]]; then
                    echo '{"type":"error","message":"Failed to subscribe","reason":"NO-USD is not a valid product"}'
                    continue
                fi
                echo '{"type":"subscriptions","channels":[]}'
                last=
                markets=$(grep -o '[A-Z]*-USD' <<<"$line")
            else
                sleep 0.1
            fi
            echo '{"type":"heartbeat"}'
            if [[ $price != "$last" ]]; then
                time=$(date -u +%FT%TZ)
                for market in $markets; do
                    echo '{"type":"ticker","product_id":"'"$market"'","price":"'"$price"'","time":"'"$time"'"}'
                done
                last=$price
            fi
        done
        """
}
