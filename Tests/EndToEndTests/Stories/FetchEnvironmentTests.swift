import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// What `price-fetch` tells a server, and whom it trusts and passes through.
@Suite(.endToEnd) struct FetchEnvironmentTests {
    private let good = #"{"p":"68901.23"}"#
    private let folder = TemporaryFolder()

    private func start(
        _ url: String, environment: [String: String] = [:]
    ) -> RunningProgram {
        let words = ["--timeout", "4s", "--url", url, "--price", "/p"]
        return RunningProgram("price-fetch", words, environment: environment)
    }

    @Test func `a request names the program, and asks for fresh JSON that is not compressed`() throws {
        let server = StubServer(.ok(good))
        #expect(try start(server.url()).answer().quote != nil)
        let headers = try #require(server.requests.first?.headers)
        #expect(headers["user-agent"] == "btc-price/\(version)" && headers["accept"] == "application/json")
        #expect(headers["cache-control"] == "no-cache" && headers["accept-encoding"] == nil)
    }

    @Test(
        .enabled(if: Programs.has("openssl"), "needs openssl"),
        arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
    func `a private authority is trusted when the environment names it`(variable: String) throws {
        folder.write("price.json", "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n\(good)")
        let server = TLSServer("good", files: folder)
        let url = "https://localhost:\(server.port)/price.json"
        #expect(try start(url).answer().failures.map(\.kind) == [.network])
        // An empty variable counts for nothing.
        let none = ["SSL_CERT_FILE": "", "CURL_CA_BUNDLE": "", "SSL_CERT_DIR": ""]
        let environment = none.merging([variable: Certificates.shared.authority]) { $1 }
        #expect(try start(url, environment: environment).answer().quote != nil)
    }

    @Test
    func `requests go through the proxy that the environment names, except to the hosts that it excludes`()
        throws
    {
        let (server, proxy) = (StubServer(.ok(good)), StubServer(.ok(good)))
        // When the host is excepted, and when it is not
        let direct = ["http_proxy": proxy.url(""), "no_proxy": "127.0.0.1"]
        #expect(try start(server.url(), environment: direct).answer().quote != nil)
        #expect(proxy.requests.isEmpty && server.requests.count == 1)
        #expect(try start(server.url(), environment: ["http_proxy": proxy.url("")]).answer().quote != nil)
        // Then only the second request went through it
        #expect(proxy.requests.map(\.path) == [server.url()] && server.requests.count == 1)
    }
}
