import MetronomeCore
import RemoteServer
import Testing

/// Requests for files and the rules that hold for every request.
@Suite struct RequestTests {
  private let fixture = ServerFixture()

  @Test func filesOfThePage() {
    let answer = fixture.answer("GET", "/?x=1", ["Host: box"])
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.hasSuffix("\r\nContent-Length: 11\r\n\r\n<p>page</p>"))
    #expect(answer.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"))
    #expect(fixture.sentText(0).isEmpty)
    let head = fixture.answer("HEAD", "/", ["Host: box"])
    #expect(head.hasSuffix("\r\nContent-Length: 11\r\n\r\n"))
    let tag = answer.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }.map { String($0.dropFirst(6)) } ?? ""
    #expect(fixture.status("GET", "/", ["Host: box", "If-None-Match: W/\"x\", \(tag)"]) == 304)
  }

  @Test(arguments: ["/", "/nothing", "/pair", "/socket"])
  func everyAnswerIsProtected(_ target: String) {
    let answer = fixture.answer("GET", target, ["Host: box"])
    for field in [
      "Content-Security-Policy: default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer", "Cross-Origin-Opener-Policy: same-origin",
      "Cross-Origin-Resource-Policy: same-origin", "Cache-Control: no-cache",
    ] {
      #expect(answer.contains("\r\n\(field)\r\n"))
    }
    #expect(!answer.contains("Access-Control"))
  }

  @Test(arguments: [
    "/../etc/passwd", "/%2e%2e/etc/passwd", "/.", "//index.html", "/index.htm", "/index.html/", "/page.js%00",
  ])
  func otherPathsDoNotExist(_ target: String) { #expect(fixture.status("GET", target) == 404) }

  @Test func methods() {
    #expect(fixture.answer("POST", "/", ["Host: box"]).contains("\r\nAllow: GET, HEAD\r\n"))
    #expect(fixture.status("DELETE", "/index.html") == 405)
    #expect(fixture.status("GET", "/pair") == 405)
    #expect(fixture.status("POST", "/socket") == 405)
    #expect(fixture.status("GET", "/socket") == 426)
  }

  @Test func hostIsRequiredOnEveryRequest() {
    #expect(fixture.status("GET", "/", []) == 400)
    #expect(fixture.status("GET", "/", ["Host: box", "Host: box"]) == 400)
    for target in ["/", "/nothing", "/socket"] { #expect(fixture.status("GET", target, ["Host: evil.example"]) == 421) }
    // The second request on a connection is checked too.
    let number = fixture.connect()
    fixture.receive(fixture.request("GET", "/", ["Host: box"]), on: number)
    #expect(fixture.sentText(number).hasPrefix("HTTP/1.1 200 "))
    fixture.receive(fixture.request("GET", "/", ["Host: evil.example"]), on: number)
    #expect(fixture.sentText(number).hasPrefix("HTTP/1.1 421 "))
    #expect(fixture.server[number]?.isDone == true)
  }

  private static let success = "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"

  @Test(arguments: [
    (
      "captive.apple.com", "/hotspot-detect.html", "200 OK", "Content-Type: text/html\r\nContent-Length: 68\r\n",
      success
    ),
    ("connectivitycheck.gstatic.com", "/generate_204", "204 No Content", "", ""),
    ("Connectivitycheck.Android.com", "/generate_204", "204 No Content", "", ""),
    ("clients3.google.com", "/generate_204", "204 No Content", "", ""),
    ("www.google.com", "/gen_204", "204 No Content", "", ""),
    (
      "www.msftconnecttest.com", "/connecttest.txt", "200 OK", "Content-Type: text/plain\r\nContent-Length: 22\r\n",
      "Microsoft Connect Test"
    ),
  ])
  func probesOfPhones(host: String, target: String, status: String, fields: String, body: String) {
    for address in ["10.77.0.2", "127.0.0.1"] {
      let answer = fixture.answer("GET", target, ["Host: \(host)", "Cookie: token=x"], from: address)
      #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"))
      #expect(answer.hasSuffix("\r\nCache-Control: no-cache\r\n\(fields)Connection: close\r\n\r\n\(body)"))
    }
    let head = fixture.answer("HEAD", "http://\(host)\(target)", ["Host: evil.example"])
    #expect(head.hasSuffix("\r\n\(fields)Connection: close\r\n\r\n"))
    // Nothing else is answered for these hosts.
    for target in ["/", "\(target)?x", "\(target)/", "/page.js", "/socket"] {
      #expect(fixture.status("GET", target, ["Host: \(host)"]) == 421, "\(target)")
    }
    for (method, target) in [("POST", target), ("POST", "/pair"), ("POST", "/forget")] {
      #expect(fixture.status(method, target, ["Host: \(host)", "Origin: http://\(host)"]) == 421, "\(target)")
    }
    for other in ["\(host):80", "\(host):8080", "\(host).", "x\(host)", "\(host).evil.example", "evil.example"] {
      #expect(fixture.status("GET", target, ["Host: \(other)"]) == 421, "\(other)")
    }
    #expect(fixture.status("GET", target, ["Host: box"]) == 404)
    #expect(fixture.status("GET", "/socket", ServerFixture.handshake(host: host)) == 421)
  }

  /// A target in absolute form is held to the same rules as `Host`, which it replaces.
  @Test func absoluteTargetsMustBeOfTheBox() {
    #expect(fixture.answer("GET", "http://box/", ["Host: evil.example"]).hasSuffix("<p>page</p>"))
    #expect(fixture.status("GET", "http://BOX.local/page.js") == 200)
    for host in ["evil.example", "box.evil.example", "user@box", "box:8080", "box:80", "10.77.0.2"] {
      #expect(fixture.status("GET", "http://\(host)/") == 421, "\(host)")
      #expect(fixture.status("GET", "http://\(host)/socket", ServerFixture.handshake()) == 421, "\(host)")
      #expect(fixture.status("POST", "http://\(host)/pair", ["Host: box", "Origin: http://\(host)"]) == 421, "\(host)")
    }
    // The origin must be that of the target.
    let foreign = ["Host: evil.example", "Origin: http://evil.example"]
    #expect(fixture.status("POST", "http://box/forget", foreign) == 403)
    #expect(fixture.status("GET", "http://box/socket", ServerFixture.handshake()) == 101)
    #expect(fixture.status("GET", "http://box/socket", ServerFixture.handshake(host: "box.local")) == 403)
  }

  @Test func originIsRequired() {
    for target in ["/pair", "/forget"] {
      #expect(fixture.status("POST", target) == 403)
      #expect(fixture.status("POST", target, ["Host: box", "Origin: http://evil.example"]) == 403)
      #expect(fixture.status("POST", target, ["Host: evil.example", "Origin: http://evil.example"]) == 421)
    }
    let handshake = ServerFixture.handshake()
    #expect(fixture.status("GET", "/socket", handshake) == 101)
    #expect(fixture.status("GET", "/socket", handshake.filter { !$0.hasPrefix("Origin") }) == 403)
    #expect(
      fixture.status("GET", "/socket", handshake.map { $0.hasPrefix("Origin") ? "Origin: http://evil.example" : $0 })
        == 403)
    #expect(fixture.status("GET", "/socket", ServerFixture.handshake(host: "evil.example")) == 421)
  }

  @Test func handshakesAreComplete() {
    for missing in ["Connection", "Upgrade", "Sec-WebSocket-Version"] {
      #expect(fixture.status("GET", "/socket", ServerFixture.handshake().filter { !$0.hasPrefix(missing) }) == 426)
    }
    let badKey = ServerFixture.handshake().map { $0.hasPrefix("Sec-WebSocket-Key") ? "Sec-WebSocket-Key: abc" : $0 }
    #expect(fixture.status("GET", "/socket", badKey) == 400)
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() {
    let number = fixture.connect()
    let one = fixture.request("GET", "/", ["Host: box"])
    let two = fixture.request("GET", "/nothing", ["Host: box", "Connection: close"])
    fixture.receive(one + two + one, on: number)
    let text = fixture.sentText(number)
    #expect(text.components(of: "HTTP/1.1 ") == ["200", "404"])
    #expect(fixture.server[number]?.isDone == true)
  }

  @Test func answersSurviveTheEndOfTheRequest() {
    let number = fixture.connect()
    fixture.receive(fixture.request("GET", "/", ["Host: box"]), on: number)
    fixture.server.receiveEnd(on: number)
    #expect(fixture.sentText(number).hasSuffix("<p>page</p>"))
    #expect(fixture.server[number]?.isEnded == true)
  }

  @Test func faultsEndTheConnection() {
    let number = fixture.connect()
    fixture.receive("GET / HTTP/1.1\r\n" + String(repeating: "a", count: 9_000), on: number)
    #expect(fixture.sentText(number).hasPrefix("HTTP/1.1 431 "))
    #expect(fixture.server[number]?.isDone == true)
    fixture.receive(fixture.request("GET", "/", ["Host: box"]), on: number)
    #expect(fixture.sentText(number).isEmpty)
    fixture.advance(Limits.closingTime)
    #expect(fixture.server[number]?.isEnded == true)
  }
}

extension String {
  /// The three characters after each occurrence of a text.
  fileprivate func components(of mark: String) -> [String] {
    var found: [String] = []
    var rest = self[...]
    while let index = rest.indices.first(where: { rest[$0...].hasPrefix(mark) }) {
      let after = rest[index...].dropFirst(mark.count)
      found.append(String(after.prefix(3)))
      rest = after
    }
    return found
  }
}
