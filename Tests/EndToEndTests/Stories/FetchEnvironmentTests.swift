import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The request headers of `price-fetch`, and the certificate authorities and proxies that it uses.
@Suite(.endToEnd) struct FetchEnvironmentTests {
    private let good = #"{"p":"68901.23"}"#
    private let folder = TemporaryFolder()

    private func start(_ url: String, environment: [String: String] = [:]) -> RunningProgram {
        let words = ["--timeout", "4s", "--url", url, "--price", "/p"]
        return RunningProgram("price-fetch", words, environment: environment)
    }

    @Test
    func `a request's headers name the program, demand fresh JSON and do not request compression`() throws {
        let server = StubServer(.ok(good))
        #expect(try start(server.url()).answer().quote != nil)
        let headers = try #require(server.requests.first?.headers)
        #expect(headers["user-agent"] == "btc-price/\(version)" && headers["accept"] == "application/json")
        #expect(headers["cache-control"] == "no-cache" && headers["accept-encoding"] == nil)
    }

    @Test(
        .enabled(if: Programs.has("openssl"), "needs openssl"),
        arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
    func `a private certificate authority is trusted if the environment names it`(variable: String) throws {
        folder.write("price.json", "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n\(good)")
        let server = TLSServer("good", files: folder)
        let url = "https://localhost:\(server.port)/price.json"
        #expect(try start(url).answer().failures.map(\.kind) == [.network])
        // An empty variable is ignored.
        let none = ["SSL_CERT_FILE": "", "CURL_CA_BUNDLE": "", "SSL_CERT_DIR": ""]
        let environment = none.merging([variable: Certificates.shared.authority]) { $1 }
        #expect(try start(url, environment: environment).answer().quote != nil)
    }

    @Test func `a proxy is used unless the host is excluded or the proxy could read an API key`() throws {
        let (server, proxy) = (StubServer(.ok(good)), StubServer(.ok(good)))
        // When the host is excluded for the first request but not for the second
        let direct = ["http_proxy": proxy.url(""), "no_proxy": "127.0.0.1"]
        #expect(try start(server.url(), environment: direct).answer().quote != nil)
        #expect(proxy.requests.isEmpty && server.requests.count == 1)
        #expect(try start(server.url(), environment: ["http_proxy": proxy.url("")]).answer().quote != nil)
        // Then only the second request went through the proxy
        #expect(proxy.requests.map(\.path) == [server.url()] && server.requests.count == 1)
        // When an API key would reach the proxy without encryption, the proxy is not used
        let key = ["http_proxy": proxy.url(""), "CRYPTOCOMPARE_API_KEY": "x"]
        let keyed = RunningProgram("price-fetch", ["--url", server.url(), "cryptocompare"], environment: key)
        #expect(try keyed.answer().quote == nil && proxy.requests.count == 1)
        #expect(server.requests.last?.headers["authorization"] == "Apikey x")
    }
}
