/// Where an installed metronome has its files, and how the programs find theirs.
package enum Paths {
  package static let configuration = "/etc/metronome/metronome.yaml"
  package static let state = "/var/lib/metronome"
  package static let runtime = "/run/metronome"
  package static let page = "/usr/share/metronome-remote"

  /// The first folder that systemd has created for the service; nil without the variable, such as `STATE_DIRECTORY`.
  package static func service(_ variable: String) -> String? {
    Environment.all[variable]?.split(separator: ":").first.map(String.init)
  }

  /// The folder of a file; empty for the working directory.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path of a file whose relative path starts at a folder; an empty folder is the working directory.
  package static func path(_ name: String, in folder: String) -> String {
    folder.isEmpty || name.hasPrefix("/") ? name : folder + "/" + name
  }

  /// The folder of this program; nil if it is unknown.
  package static var programs: String? {
    // Must be an array of `CChar`: for other element types, Swift 6.0.3 passes the address of the array itself.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { return nil }
    return folder(of: String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// Another program: the one in the folder of this program, or else the name, which `exec` searches in PATH.
  package static func program(_ name: String) -> String {
    guard let programs else { return name }
    let beside = path(name, in: programs)
    return access(beside, X_OK) == 0 ? beside : name
  }
}
