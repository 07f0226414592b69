import RemoteServer
import Testing

@Suite struct HashesTests {
  /// The examples of FIPS 180 and of NIST's CAVP: nothing, one block, two blocks, and a million letters.
  private static let texts = [
    "nothing": "", "abc": "abc", "two blocks": "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "a million letters": String(repeating: "a", count: 1_000_000),
  ]

  @Test(arguments: [
    ("nothing", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("two blocks", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    ("a million letters", "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
  ])
  func sha1(_ name: String, _ hash: String) throws {
    let text = try #require(Self.texts[name])
    #expect(Encoding.hexadecimal(SHA1.hash(Array(text.utf8))) == hash)
  }

  @Test(arguments: [
    ("nothing", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ("two blocks", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ("a million letters", "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func sha256(_ name: String, _ hash: String) throws {
    let text = try #require(Self.texts[name])
    #expect(Encoding.hexadecimal(SHA256.hash(Array(text.utf8))) == hash)
  }

  /// The padding needs a second block from 56 bytes on.
  @Test(arguments: [
    (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
    (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
    (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
  ])
  func padding(_ count: Int, _ hash: String) {
    #expect(Encoding.hexadecimal(SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: count))) == hash)
  }

  /// The examples of RFC 4648.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func base64(_ text: String, _ encoded: String) { #expect(Encoding.base64(Array(text.utf8)) == encoded) }

  @Test func keysHave16Bytes() {
    #expect(Encoding.isKey("dGhlIHNhbXBsZSBub25jZQ=="))
    #expect(!Encoding.isKey("dGhlIHNhbXBsZSBub25jZQ="))
    #expect(!Encoding.isKey("dGhlIHNhbXBsZSBub25jZQAA"))
    #expect(!Encoding.isKey("dGhlIHNhbXBsZSBub25j-Q=="))
  }

  /// The example of RFC 6455.
  @Test func handshake() {
    #expect(WebSocketFrame.acceptance(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test func hexadecimalDigits() {
    #expect(Encoding.bytes(hexadecimal: "00ff1a") == [0, 255, 26])
    #expect(Encoding.bytes(hexadecimal: "0") == nil)
    #expect(Encoding.bytes(hexadecimal: "0g") == nil)
    #expect(Encoding.bytes(hexadecimal: "FF") == nil)
  }
}
