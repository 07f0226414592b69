import RemoteServer
import Testing

@Suite struct WebSocketTests {
  /// A frame of a client, with the mask of the examples of RFC 6455.
  private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    let (high, low) = (UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count))
    let length: [UInt8] = payload.count < 126 ? [0x80 | low] : [0xFE, high, low]
    return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  private func frame(_ first: UInt8, _ text: String) -> [UInt8] { frame(first, Array(text.utf8)) }

  private func outcomes(_ bytes: [UInt8], pieces: Int = .max) -> ([WebSocketMessage], WebSocketFault?) {
    var reader = WebSocketReader()
    var messages: [WebSocketMessage] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      var piece = rest.prefix(pieces)
      rest = rest.dropFirst(pieces)
      do throws(WebSocketFault) {
        while let message = try reader.next(in: &piece) { messages.append(message) }
      } catch {
        return (messages, error)
      }
    }
    return (messages, nil)
  }

  private func fault(_ bytes: [UInt8]) -> WebSocketFault? { outcomes(bytes).1 }

  /// RFC 6455, 5.7: a masked "Hello".
  @Test func exampleOfTheStandard() {
    let bytes: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    #expect(outcomes(bytes).0 == [.text("Hello")])
    #expect(frame(0x81, "Hello") == bytes)
    #expect(WebSocketFrame.text("Hello".utf8) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
  }

  @Test(arguments: [1, 2, 3, 1_000])
  func fragmentsWithControlFramesBetweenThem(_ pieces: Int) {
    let bytes =
      frame(0x01, "Hé".utf8.dropLast().map { $0 }) + frame(0x89, "p") + frame(0x00, [0xA9]) + frame(0x8A, "")
      + frame(0x80, "llo") + frame(0x81, "") + frame(0x88, [0x03, 0xE8])
    let (messages, fault) = outcomes(bytes, pieces: pieces)
    #expect(messages == [.fragment, .ping([0x70]), .fragment, .pong, .text("Héllo"), .text(""), .close(1000)])
    #expect(fault == nil)
  }

  @Test func faults() {
    // Without a mask.
    #expect(fault([0x81, 0x00]) == .protocolError)
    // Reserved bits and kinds, and binary messages.
    #expect(fault(frame(0xC1, "")) == .protocolError)
    #expect(fault(frame(0x83, "")) == .protocolError)
    #expect(fault(frame(0x8B, "")) == .protocolError)
    #expect(fault(frame(0x82, "")) == .binaryMessage)
    // Fragments out of order, and control frames in fragments or too long.
    #expect(fault(frame(0x80, "")) == .protocolError)
    #expect(fault(frame(0x01, "a") + frame(0x81, "b")) == .protocolError)
    #expect(fault(frame(0x09, "")) == .protocolError)
    #expect(outcomes(frame(0x89, [UInt8](repeating: 1, count: 125))).0.count == 1)
    #expect(fault(frame(0x89, [UInt8](repeating: 1, count: 126))) == .protocolError)
    // A length in a form that is longer than needed.
    #expect(fault([0x81, 0xFE, 0x00, 0x7D]) == .protocolError)
    #expect(fault(frame(0x81, [0xFF])) == .invalidText)
    #expect(fault(frame(0x88, [0x03])) == .protocolError)
    #expect(fault(frame(0x88, [0x03, 0xEC])) == .protocolError)
    #expect(fault(frame(0x88, [0x03, 0xE8, 0xFF])) == .invalidText)
  }

  @Test func messagesHaveALimit() {
    let longest = [UInt8](repeating: 0x61, count: 4_096)
    #expect(outcomes(frame(0x81, longest)).0 == [.text(String(repeating: "a", count: 4_096))])
    // Refused by the header alone.
    #expect(fault([0x81, 0xFE, 0x10, 0x01]) == .tooLong)
    #expect(fault([0x81, 0xFF]) == .tooLong)
    #expect(fault(frame(0x01, longest) + frame(0x80, "a")) == .tooLong)
    #expect(outcomes(frame(0x01, Array(longest.dropLast())) + frame(0x80, "a")).0.count == 2)
  }

  @Test func longFrames() {
    #expect(WebSocketFrame.text([UInt8](repeating: 1, count: 125)).prefix(2) == [0x81, 125])
    #expect(WebSocketFrame.text([UInt8](repeating: 1, count: 300)).prefix(4) == [0x81, 126, 1, 44])
    #expect(WebSocketFrame.close(1002) == [0x88, 2, 3, 0xEA])
  }
}
