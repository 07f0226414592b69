import HardwareAbstraction
import MetronomeCore

extension ConformanceSuite {
  static var storeCases: [Case] {
    [
      storeCase("a state folder starts empty") { folder in
        let bytes = try folder.read("state")
        try require(bytes == nil, "left over: \(bytes?.count ?? 0) bytes")
      },
      storeCase("a file reads as last written") { folder in
        for bytes in [Array("tempo".utf8), [], (0..<32_768).map { UInt8(truncatingIfNeeded: $0 &* 31) }] {
          try folder.write("state", bytes)
          try folder.synchronize()
          try expect(folder, "state", bytes)
        }
      },
      storeCase("writing a file leaves other files alone") { folder in
        try folder.write("a", [1])
        try folder.write("b", [2])
        try folder.write("a", [3])
        try expect(folder, "a", [3])
        try expect(folder, "b", [2])
        try require(folder.exists("a") && !folder.exists("c"), "exists is wrong about a present or a missing file")
      },
      storeCase("renaming a file replaces the target") { folder in
        try folder.write("a", [1])
        try folder.write("b", [2])
        let isRenamed = try folder.rename("a", to: "b")
        try require(isRenamed, "rename reports the file as missing")
        try expect(folder, "a", nil)
        try expect(folder, "b", [1])
      },
      storeCase("renaming a missing file changes nothing") { folder in
        try folder.write("b", [2])
        let isRenamed = try folder.rename("a", to: "b")
        try require(!isRenamed, "renamed a missing file")
        try expect(folder, "b", [2])
      },
      storeCase("a removed file is gone, and removing a missing file changes nothing") { folder in
        try folder.write("a", [1])
        try folder.write("b", [2])
        let isRemoved = try folder.remove("a")
        let isRemovedTwice = try folder.remove("a")
        try require(isRemoved && !isRemovedTwice, "remove is wrong about a present or a missing file")
        try expect(folder, "a", nil)
        try expect(folder, "b", [2])
      },
      storeCase("the files of a folder are listed") { folder in
        for name in ["a", "b", "c"] { try folder.write(name, [1]) }
        try folder.rename("a", to: "d")
        try folder.remove("b")
        let names = try folder.list()
        try require(names.filter { "abcd".contains($0) }.sorted() == ["c", "d"], "listed: \(names)")
      },
    ]
  }

  private static func storeCase(_ name: String, check: @escaping (any StateFolder) throws -> Void) -> Case {
    Case(name: name) { _, board in
      guard let folder = board.stateFolder else { throw ConformanceFailure(description: "there is no state folder") }
      try check(folder)
    }
  }

  private static func expect(_ folder: any StateFolder, _ name: String, _ bytes: [UInt8]?) throws {
    let read = try folder.read(name)
    try require(read == bytes, "\(name): wrote \(bytes?.count ?? -1) bytes, read \(read?.count ?? -1)")
  }
}
