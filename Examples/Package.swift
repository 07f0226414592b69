// swift-tools-version: 6.0
import PackageDescription

// The real board exists only on Linux, and not with METRONOME_HARDWARE=none.
#if os(Linux)
  let hasHardware = Context.environment["METRONOME_HARDWARE"] != "none"
#else
  let hasHardware = false
#endif

let libraries: [Target.Dependency] = [
  .product(name: "MetronomeCore", package: "metronome"),
  .product(name: "HardwareAbstraction", package: "metronome"),
  .product(name: "MetronomeEngine", package: "metronome"),
  .product(name: "BoardSimulation", package: "metronome"),
]
let board: [Target.Dependency] = [.product(name: "LinuxBoard", package: "metronome")]

let package = Package(
  name: "metronome-examples",
  platforms: [.macOS(.v15)],
  dependencies: [
    // A package of your own names the repository and a version: .package(url: "ADDRESS", from: "VERSION").
    .package(name: "metronome", path: "..")
  ],
  targets: [
    .executableTarget(name: "TextBoard", dependencies: libraries),
    .testTarget(name: "ListingTests", dependencies: libraries + (hasHardware ? board : [])),
  ]
)
