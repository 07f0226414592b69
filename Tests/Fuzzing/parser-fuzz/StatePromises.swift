import MetronomeCore

/// Invariants of the reader of state files.
enum StatePromises {
  private static let checksumKey = "checksum "

  /// Either the file is valid and is the only way to write its state, or it is refused. The text is checked again with its
  /// checksum corrected, because random changes almost never produce a valid checksum.
  static func check(_ bytes: [UInt8]) {
    checkReading(bytes)
    checkReading(signed(bytes))
  }

  private static func checkReading(_ bytes: [UInt8]) {
    let file: StateFile
    do throws(StateFileError) {
      file = try StateFile(bytes)
    } catch {
      return requireOneLine(error.text)
    }
    require(file.bytes == bytes, "the file is written differently")
    require(bytes.count <= StateFile.longest, "a file of \(bytes.count) bytes is accepted")
    let presets = file.savedState.presets
    require(presets.count <= PresetList.capacity, "\(presets.count) presets are accepted")
    require(Set(presets.presets.map(\.name)).count == presets.count, "two presets have the same name")
    checkNext(file)
    checkTruncated(bytes)
  }

  /// The next save is newer, unless the counter is at its maximum, and reads back unchanged.
  private static func checkNext(_ file: StateFile) {
    var memory = file.savedState
    memory.isPlaying.toggle()
    let next = file.next(memory)
    require(next.save > file.save || next.save == UInt64(Int64.max), "the next save is number \(next.save)")
    do throws(StateFileError) {
      let read = try StateFile(next.bytes)
      require(read == next, "the next save reads back differently")
    } catch {
      fatalError("the next save is refused: it \(error.text)")
    }
  }

  /// Every truncated file is reported as truncated; one length is tried per input.
  private static func checkTruncated(_ bytes: [UInt8]) {
    let sum = bytes.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
    do throws(StateFileError) {
      _ = try StateFile(Array(bytes[..<(Int(sum) % bytes.count)]))
      fatalError("a truncated file is accepted")
    } catch {
      require(error == .truncated, "a truncated file is reported as another error: it \(error.text)")
    }
  }

  /// The text up to its last checksum line, with the right checksum.
  private static func signed(_ bytes: [UInt8]) -> [UInt8] {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    if lines.last?.starts(with: checksumKey.utf8) == true { lines.removeLast() }
    let text = lines.flatMap { $0 + [UInt8(ascii: "\n")] }
    var rest = UInt32.max
    for byte in text {
      rest ^= UInt32(byte)
      for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
    }
    let digits = String(~rest, radix: 16)
    return text + Array("\(checksumKey)\(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)\n".utf8)
  }
}
