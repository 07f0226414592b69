import RemoteServer
import Testing

@Suite struct HTTPParserTests {
  private enum Outcome: Equatable {
    case request(String)
    case fault(HTTPFault)
    case incomplete
  }

  /// What becomes of a text, in pieces of a size.
  private func outcomes(_ text: String, pieces: Int = .max) -> [Outcome] {
    var parser = HTTPParser()
    var outcomes: [Outcome] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      var piece = rest.prefix(pieces)
      rest = rest.dropFirst(pieces)
      do throws(HTTPFault) {
        while let request = try parser.next(in: &piece) {
          outcomes.append(.request("\(request.method) \(request.target)"))
        }
      } catch {
        return outcomes + [.fault(error)]
      }
    }
    return outcomes + (parser.hasBegun ? [.incomplete] : [])
  }

  @Test(arguments: [1, 2, 3, 7, 1_000])
  func requestsFollowEachOther(_ pieces: Int) {
    let text =
      "GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST /pair HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcHEAD /x?y HTTP/1.0\r\n\r\nGE"
    #expect(
      outcomes(text, pieces: pieces) == [
        .request("GET /"), .request("POST /pair"), .request("HEAD /x?y"), .incomplete,
      ])
  }

  @Test(arguments: [
    "GET  / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", " GET / HTTP/1.1\r\n\r\n", "G{T / HTTP/1.1\r\n\r\n",
    "GET https://a/ HTTP/1.1\r\n\r\n", "GET http:/// HTTP/1.1\r\n\r\n", "GET http://?a HTTP/1.1\r\n\r\n",
    "GET a/b HTTP/1.1\r\n\r\n", "GET box:80 HTTP/1.1\r\n\r\n", "OPTIONS * HTTP/1.1\r\n\r\n", "GET /ä HTTP/1.1\r\n\r\n",
    "GET / http/1.1\r\n\r\n", "GET / HTTP/1.1\n\n",
    "GET / HTTP/1.1\r\r\n\r\n", "\r\n\r\n", "\r\n\r\nGET / HTTP/1.1\r\n\r\n", "\nGET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\n: b\r\n\r\n", "GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length:\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
  ])
  func badRequests(_ text: String) { #expect(outcomes(text) == [.fault(.badRequest)]) }

  /// RFC 9112, 2.2: some clients send an empty line after a body.
  @Test(arguments: [1, 2, 3, 1_000])
  func oneEmptyLineBeforeARequestIsIgnored(_ pieces: Int) {
    let text = "\r\nPOST /pair HTTP/1.1\r\nContent-Length: 1\r\n\r\na\r\nGET / HTTP/1.1\r\n\r\n"
    #expect(outcomes(text, pieces: pieces) == [.request("POST /pair"), .request("GET /")])
    #expect(outcomes("\r\n", pieces: pieces) == [])
  }

  /// RFC 9112, 3.2.2: the target says which host is meant, and `Host` is ignored.
  @Test func absoluteTargetsAreRead() throws {
    func request(_ target: String, _ host: String = "Host: other") throws -> HTTPRequest? {
      var parser = HTTPParser()
      var input = Array("GET \(target) HTTP/1.1\r\n\(host)\r\n\r\n".utf8)[...]
      return try parser.next(in: &input)
    }
    let whole = try #require(try request("http://box:81/a/b?c#d"))
    #expect([whole.host, whole.authority, whole.target, whole.path] == ["box:81", "box:81", "/a/b?c#d", "/a/b"])
    let short = try #require(try request("HTTP://Box"))
    #expect([short.host, short.target] == ["Box", "/"])
    let query = try #require(try request("http://[::1]?x=http://y/"))
    #expect([query.host, query.target, query.path] == ["[::1]", "/?x=http://y/", "/"])
    let origin = try #require(try request("/http://box/"))
    #expect([origin.host, origin.authority, origin.path] == ["other", nil, "/http://box/"])
    // `Host` is still required, once.
    #expect(try request("http://box/", "A: b")?.host == nil)
    #expect(try request("http://box/", "Host: box\r\nHost: box")?.host == nil)
  }

  @Test func otherFaults() {
    #expect(outcomes("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n") == [.fault(.codedBody)])
    #expect(outcomes("GET / HTTP/2.0\r\n\r\n") == [.fault(.otherVersion)])
    #expect(outcomes("POST / HTTP/1.1\r\nContent-Length: 1025\r\n\r\n") == [.fault(.bodyTooLong)])
    #expect(outcomes("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n") == [.fault(.bodyTooLong)])
    #expect(outcomes("POST / HTTP/1.1\r\nContent-Length: 1024\r\n\r\n") == [.incomplete])
  }

  @Test func headersHaveALimit() {
    func header(_ count: Int) -> String {
      let rest = "GET / HTTP/1.1\r\nA: \r\n\r\n".utf8.count
      return "GET / HTTP/1.1\r\nA: \(String(repeating: "a", count: count - rest))\r\n\r\n"
    }
    #expect(outcomes(header(8_192)) == [.request("GET /")])
    #expect(outcomes(header(8_193)) == [.fault(.headerTooLong)])
    #expect(outcomes(String(repeating: "a", count: 8_192)) == [.incomplete])
    #expect(outcomes(String(repeating: "a", count: 8_193)) == [.fault(.headerTooLong)])
  }

  @Test func fieldsAreRead() throws {
    var parser = HTTPParser()
    var input = Array(
      "GET /a?b HTTP/1.1\r\nHOST: \t a:1 \r\nCookie: x=1; token=ab\r\ncookie: token=c;token2=d\r\nConnection: a , UPGRADE\r\n\r\n"
        .utf8)[...]
    let request = try #require(try parser.next(in: &input))
    #expect(request.path == "/a")
    #expect(request.single("host") == "a:1")
    #expect(request.single("cookie") == nil)
    #expect(request.cookies("token") == ["ab", "c"])
    #expect(request.lists("connection", "upgrade"))
    #expect(!request.lists("connection", "close"))
    #expect(!request.closesConnection)
    #expect(input.isEmpty)
  }
}
