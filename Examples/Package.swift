// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "metronome-examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "metronome", path: "..")],
  targets: [
    .executableTarget(
      name: "TextBoard",
      dependencies: [
        .product(name: "MetronomeCore", package: "metronome"),
        .product(name: "HardwareAbstraction", package: "metronome"),
        .product(name: "MetronomeEngine", package: "metronome"),
        .product(name: "BoardSimulation", package: "metronome"),
      ]),
    .testTarget(
      name: "ListingTests",
      dependencies: [
        .product(name: "MetronomeCore", package: "metronome"),
        .product(name: "HardwareAbstraction", package: "metronome"),
        .product(name: "MetronomeEngine", package: "metronome"),
        .product(name: "BoardSimulation", package: "metronome"),
      ]),
  ]
)
