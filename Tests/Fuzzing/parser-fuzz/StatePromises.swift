import MetronomeCore

/// What must hold of reading what a metronome remembers.
enum StatePromises {
  private static let checksumKey = "checksum "

  /// Either it is read, and there is no other way to write it; or it is refused. The same for the text with the checksum
  /// that belongs to it, because no change by chance finds that.
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
    require(file.bytes == bytes, "it is written otherwise")
    require(bytes.count <= StateFile.longest, "\(bytes.count) bytes are read")
    require(file.savedState.presets.count <= PresetList.capacity, "\(file.savedState.presets.count) presets are read")
    require(
      Set(file.savedState.presets.presets.map(\.name)).count == file.savedState.presets.count, "a name is there twice")
    checkNext(file)
    checkTorn(bytes)
  }

  /// What is saved after it is newer, unless no save can be, and is read in turn.
  private static func checkNext(_ file: StateFile) {
    var memory = file.savedState
    memory.isPlaying.toggle()
    let next = file.next(memory)
    require(next.save > file.save || next.save == UInt64(Int64.max), "the next save is number \(next.save)")
    do throws(StateFileError) {
      let read = try StateFile(next.bytes)
      require(read == next, "the next save reads back as another")
    } catch {
      fatalError("the next save \(error.text)")
    }
  }

  /// A beginning of it breaks off, wherever it does; one place in each input is tried.
  private static func checkTorn(_ bytes: [UInt8]) {
    let sum = bytes.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
    do throws(StateFileError) {
      _ = try StateFile(Array(bytes[..<(Int(sum) % bytes.count)]))
      fatalError("a beginning of it is read")
    } catch {
      require(error == .truncated, "a beginning of it \(error.text)")
    }
  }

  /// The text up to the last line that is a checksum, with the right one.
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
