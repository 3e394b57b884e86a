/// Certificates that openssl makes, and the authority that has signed them but for one.
public final class Certificates: Sendable {
    public static let shared = Certificates()

    public let folder = TemporaryFolder()

    /// What a client has to trust.
    public var authority: String { "\(folder.path)/authority.pem" }

    private init() {
        let command = """
            set -eu
            cd "$FOLDER"
            key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
            openssl req -x509 "${key[@]}" -keyout authority.key -out authority.pem -days 2 -subj /CN=authority
            make() {
                openssl req "${key[@]}" -keyout "$1.key" -out "$1.csr" -subj "/CN=$2"
                openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -CAcreateserial \\
                    -out "$1.pem" -days "$3" -extfile <(echo "subjectAltName=DNS:$2")
            }
            make good localhost 2
            make expired localhost -1
            make other example.com 2
            openssl req -x509 "${key[@]}" -keyout self-signed.key -out self-signed.pem -days 2 \\
                -subj /CN=localhost -addext subjectAltName=DNS:localhost
            """
        let result = RunningProgram.shell(command, environment: ["FOLDER": folder.path])
        precondition(result.status == 0, "no certificates: \(result.errors)")
    }
}

/// `openssl s_server`, with a certificate of a kind, and files that hold whole answers, header and body.
public final class TLSServer {
    public let port: UInt16
    private let running: RunningProgram

    public init(_ certificate: String, files: TemporaryFolder) {
        let named = "\(Certificates.shared.folder.path)/\(certificate)"
        let command = "cd \"$1\" && exec openssl s_server -accept 127.0.0.1:0 -cert $0.pem -key $0.key -HTTP"
        running = RunningProgram("bash", ["-c", command, named, files.path])
        var line: String? = ""
        while line?.hasPrefix("ACCEPT ") == false { line = running.readLine() }
        port = (line?.split(separator: ":").last).flatMap { UInt16($0) } ?? 0
    }
}
