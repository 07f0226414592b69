import MetronomeConfiguration

/// Reads a configuration from a text.
func configuration(_ yaml: String) throws(ConfigurationError) -> Configuration {
  try Configuration(yaml: Array(yaml.utf8), file: "m.yaml")
}

extension Configuration {
  /// The standard configuration with one changed value.
  init<Value>(_ place: WritableKeyPath<Configuration, Value>, _ value: Value) {
    self.init()
    self[keyPath: place] = value
  }
}

/// The error message for a file, or nil if it is accepted.
func complaint(_ bytes: [UInt8]) -> String? {
  do {
    _ = try Configuration(yaml: bytes, file: "m.yaml")
    return nil
  } catch {
    return error.description
  }
}

func complaint(_ yaml: String) -> String? { complaint(Array(yaml.utf8)) }

/// SplitMix64: gives the same numbers on every machine.
struct Dice: RandomNumberGenerator {
  var seed: UInt64

  mutating func next() -> UInt64 {
    seed &+= 0x9E37_79B9_7F4A_7C15
    var z = seed
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &self)] }
}
