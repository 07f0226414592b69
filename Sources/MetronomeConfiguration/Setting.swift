import MetronomeCore

/// A key whose value the configuration stores under the path of the key.
public struct Setting<Value: Hashable & Sendable>: Sendable {
  fileprivate let key: Key
  /// The default.
  fileprivate let standard: Value

  init(_ path: String, _ standard: Value, _ form: Form<Value>, turn: Key.Turn = .normal, _ meaning: String) {
    self.standard = standard
    key = Key(
      path, get: { $0.settings[path, standard] }, set: { $0.settings[path, standard] = $1 }, form,
      turn: turn, meaning)
  }
}

/// The values of settings that differ from the default.
struct ChangedSettings: Equatable, Sendable {
  private var values: [String: any Hashable & Sendable] = [:]

  fileprivate subscript<Value: Hashable & Sendable>(path: String, standard: Value) -> Value {
    // Only the setting with this path writes the value, so a value of another type is a programming error, and traps.
    get { values[path].map { $0 as! Value } ?? standard }
    set {
      values[path] = nil
      if newValue != standard { values.updateValue(newValue, forKey: path) }
    }
  }

  static func == (a: ChangedSettings, b: ChangedSettings) -> Bool {
    a.values.mapValues { AnyHashable($0) } == b.values.mapValues { AnyHashable($0) }
  }
}

/// An element of ``Keys``.
private protocol KeyEntry { var key: Key { get } }
extension Setting: KeyEntry {}
extension Key: KeyEntry { fileprivate var key: Key { self } }

extension Keys {
  fileprivate static let described = Keys()

  /// Every key. The keys of a section are inside the section.
  static let all: [Key] = Mirror(reflecting: described).children.reduce(into: []) { keys, child in
    // A property that is neither a setting nor a key is a programming error, and traps in the first test.
    let key = (child.value as! any KeyEntry).key
    if key.path.contains(".") { keys[keys.count - 1].keys.append(key) } else { keys.append(key) }
  }
}

extension Configuration {
  public subscript<Value>(dynamicMember name: KeyPath<Keys, Setting<Value>>) -> Value {
    get {
      let setting = Keys.described[keyPath: name]
      return settings[setting.key.path, setting.standard]
    }
    set {
      let setting = Keys.described[keyPath: name]
      settings[setting.key.path, setting.standard] = newValue
    }
  }
}
