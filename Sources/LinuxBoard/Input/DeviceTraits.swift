import HardwareAbstraction

/// What a device is: what it calls itself, and what it has.
struct DeviceTraits {
  let name: String
  let keys: CodeSet
  let axes: CodeSet

  /// What of a request the device does not have, by name.
  func lacks(_ request: InputRequest) -> [String] {
    let missingKeys = request.keys.keys.filter { !keys.contains($0.number) }.map(\.description)
    let missingAxes = request.relative.keys.filter { !axes.contains($0.number) }.map(\.description)
    return missingKeys.sorted() + missingAxes.sorted()
  }

  /// How much of a request the device has; nil if it is another one that is asked for.
  func worth(to request: InputRequest) -> Int? {
    if case .named(let wanted) = request.device, wanted != name { return nil }
    return request.keys.count + request.relative.count - lacks(request).count
  }
}
