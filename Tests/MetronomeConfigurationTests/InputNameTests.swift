import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import Testing

/// Compares the table of keys and axes with the kernel's header.
@Suite struct InputNameTests {
  private static let header = "/usr/include/linux/input-event-codes.h"
  /// Names that the table omits: markers of groups of codes, and axes that only refine another axis.
  private static let omitted: Set<String> = [
    "KEY_RESERVED", "KEY_MIN_INTERESTING", "KEY_MAX", "REL_RESERVED", "REL_MAX", "BTN_MISC", "BTN_MOUSE",
    "BTN_JOYSTICK", "BTN_GAMEPAD", "BTN_DIGI", "BTN_WHEEL", "BTN_TRIGGER_HAPPY", "REL_WHEEL_HI_RES",
    "REL_HWHEEL_HI_RES",
  ]

  @Test(.enabled(if: access(InputNameTests.header, R_OK) == 0)) func tableMatchesTheKernelHeader() throws {
    let kernel = try InputNameTests.numbers(in: InputNameTests.header)
    #expect(kernel.count > 600)
    for name in KeyCode.names + AxisCode.names {
      let number = KeyCode(name: name)?.number ?? AxisCode(name: name)?.number
      #expect(kernel[name] == nil || kernel[name] == number.map(Int.init), "\(name)")
    }
    #expect(Set(KeyCode.names + AxisCode.names).isDisjoint(with: InputNameTests.omitted))
    // A key without a name in the table can be given by its number.
    for (name, number) in kernel where !name.hasPrefix("REL_") && !InputNameTests.omitted.contains(name) {
      #expect(KeyCode(name: String(number))?.number == UInt16(number), "\(name)")
    }
  }

  @Test func namesAndNumbersMatch() {
    for name in KeyCode.names {
      let code = KeyCode(name: name)
      #expect(code.flatMap { KeyCode(name: $0.name) } == code)
    }
    #expect(Set(KeyCode.names).count == KeyCode.names.count)
    #expect(KeyCode(name: "KEY_PAGEDOWN")?.number == 109)
    #expect(KeyCode(name: "KEY_SCREENLOCK")?.name == "KEY_COFFEE")
    #expect(KeyCode(name: "REL_X") == nil)
    #expect(AxisCode(name: "REL_DIAL")?.number == 7)
    #expect(AxisCode(number: 0).name == "REL_X")
    #expect(KeyCode(number: 255).name == "255")
    #expect(KeyCode(name: "0") == nil && KeyCode(name: "768") == nil && KeyCode(name: "0109") == nil)
  }

  private static func numbers(
    in file: String, prefixes: [String] = ["KEY_", "BTN_", "REL_"]
  ) throws -> [String: Int] {
    let stream = try #require(fopen(file, "r"))
    defer { fclose(stream) }
    var numbers: [String: Int] = [:]
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), stream) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let words = text.split(whereSeparator: \.isWhitespace)
      guard words.count >= 3, words[0] == "#define", prefixes.contains(where: words[1].hasPrefix) else { continue }
      let value = String(words[2])
      let number = value.hasPrefix("0x") ? Int(value.dropFirst(2), radix: 16) : Int(value) ?? numbers[value]
      if let number { numbers[String(words[1])] = number }
    }
    return numbers
  }
}
