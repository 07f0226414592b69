// swift-tools-version: 6.0
import PackageDescription

// The real board needs libgpiod and ALSA, which exist only on Linux. On other systems, and with METRONOME_HARDWARE=none, the
// package contains everything except the real board: engine, simulation, command line.
#if os(Linux)
  let hasHardware = Context.environment["METRONOME_HARDWARE"] != "none"
#else
  let hasHardware = false
#endif

// Programs that use the libraries may combine them with later versions of these packages. The scripts of this repository
// build with exactly these, so that the same commit gives the same bytes.
func accepted(_ version: Version) -> Range<Version> {
  let isExact = Context.environment["METRONOME_EXACT"] != nil
  let next = Version(version.major, version.minor, version.patch + 1)
  return version..<(isExact ? next : Version(version.major + 1, 0, 0))
}

// Allocations are counted by replacing malloc and its relatives. glibc exports the originals under second names.
#if canImport(Glibc)
  let countsAllocations = true
#else
  let countsAllocations = false
#endif

let countingTargets: [Target] = [
  .target(name: "AllocationCounter", path: "Benchmarks/AllocationCounter")
]

let benchmarkTargets: [Target] = [
  .target(
    name: "ThreadMeter",
    dependencies: countsAllocations ? ["AllocationCounter"] : [],
    path: "Benchmarks/ThreadMeter",
    swiftSettings: countsAllocations ? [.define("ALLOCATION_COUNTER")] : []),
  .executableTarget(
    name: "cost-benchmark",
    dependencies: [
      "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "ThreadMeter", "ClockTrials",
      .product(name: "RealModule", package: "swift-numerics"),
    ],
    path: "Benchmarks/cost-benchmark"),
]

// Only for Tests/Fuzzing/run, because not every Swift toolchain includes libFuzzer.
let fuzzingTargets: [Target] = [
  .executableTarget(
    name: "parser-fuzz",
    dependencies: ["MetronomeConfiguration", "BoardSimulation", "MetronomeCore", "ControlSocket", "RemoteServer"],
    path: "Tests/Fuzzing/parser-fuzz")
]

let hardwareTargets: [Target] = [
  .target(name: "CGpiod", linkerSettings: [.linkedLibrary("gpiod")]),
  .target(name: "CALSA", linkerSettings: [.linkedLibrary("asound")]),
  .target(name: "CEvdev", linkerSettings: [.linkedLibrary("evdev")]),
  .target(name: "CLinux"),
  .target(
    name: "LinuxBoard",
    dependencies: ["CLibrary", "MetronomeCore", "HardwareAbstraction", "CGpiod", "CALSA", "CEvdev", "CLinux"]),
  .executableTarget(
    name: "metronome-bench",
    dependencies: [
      "CLibrary", "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "LinuxBoard", "MetronomeConfiguration",
      "BoardCheck",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Benchmarks/metronome-bench"),
  .testTarget(
    name: "LoopBenchTests",
    dependencies: ["metronome-bench", "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "LinuxBoard"]),
  .target(name: "GuardTrial", dependencies: ["CGpiod"], path: "Tests/GuardTrial"),
  .testTarget(
    name: "LinuxBoardTests",
    dependencies: [
      "LinuxBoard", "MetronomeConfiguration", "MetronomeCore", "HardwareAbstraction", "CEvdev", "CLinux", "GuardTrial",
    ]),
  .executableTarget(
    name: "board-conformance",
    dependencies: [
      "BoardConformance", "LinuxBoard", "CGpiod", "CALSA", "StateFiles", "HardwareAbstraction", "MetronomeCore",
    ],
    path: "Tests/KernelBench/board-conformance"),
]

// The server of the phone page needs the sockets of Linux.
#if os(Linux)
  let remoteTargets: [Target] = [
    .executableTarget(
      name: "metronome-remote",
      dependencies: ["RemoteServer", "CLibrary", "ControlSocket", "MetronomeCore"],
      exclude: ["Page", "metronome-remote.8"])
  ]
#else
  let remoteTargets: [Target] = []
#endif

let package = Package(
  name: "metronome",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "metronome", targets: ["metronome"]),
    .library(name: "MetronomeCore", targets: ["MetronomeCore"]),
    .library(name: "HardwareAbstraction", targets: ["HardwareAbstraction"]),
    .library(name: "MetronomeEngine", targets: ["MetronomeEngine"]),
    .library(name: "BoardSimulation", targets: ["BoardSimulation"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", accepted("1.8.2")),
    .package(url: "https://github.com/apple/swift-numerics", accepted("1.1.1")),
  ],
  targets: [
    .target(
      name: "MetronomeCore",
      dependencies: [.product(name: "RealModule", package: "swift-numerics")]),
    .target(name: "CLibrary"),
    .target(name: "HardwareAbstraction", dependencies: ["MetronomeCore"]),
    .target(name: "ControlSocket", dependencies: ["CLibrary", "MetronomeCore"]),
    .target(name: "RemoteServer", dependencies: ["ControlSocket", "MetronomeCore"]),
    .testTarget(
      name: "RemoteServerTests",
      dependencies: ["RemoteServer", "ControlSocket", "MetronomeCore", "MetronomeEngine", "TestSupport"]),
    .target(
      name: "StateFiles", dependencies: ["CLibrary", "ControlSocket", "MetronomeCore", "HardwareAbstraction"]),
    .target(name: "MetronomeEngine", dependencies: ["MetronomeCore", "HardwareAbstraction"]),
    .target(
      name: "BoardSimulation",
      dependencies: ["MetronomeCore", "HardwareAbstraction", "MetronomeEngine"]),
    .target(
      name: "MetronomeSimulation",
      dependencies: [
        "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "BoardSimulation", "MetronomeConfiguration",
        "MetronomeControl", "MetronomeService", "ControlSocket",
      ]),
    .executableTarget(
      name: "metronome",
      dependencies: [
        "CLibrary", "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "BoardSimulation",
        "MetronomeConfiguration",
        "MetronomeSimulation", "MetronomeTerminal", "MetronomeControl", "MetronomeService", "StateFiles",
        "ControlSocket", "BoardCheck",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ] + (hasHardware ? ["LinuxBoard"] : []),
      swiftSettings: hasHardware ? [.define("LINUX_BOARD")] : []),
    .systemLibrary(
      name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .target(
      name: "MetronomeConfiguration",
      dependencies: [
        "CLibrary", "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "CYAML",
      ]),
    .target(name: "BoardCheck", dependencies: ["CLibrary", "MetronomeCore", "HardwareAbstraction"]),
    .target(name: "MetronomeTerminal", dependencies: ["MetronomeCore", "HardwareAbstraction"]),
    .target(
      name: "MetronomeControl",
      dependencies: [
        "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "MetronomeConfiguration", "ControlSocket",
      ]),
    .target(
      name: "MetronomeService", dependencies: ["MetronomeCore", "HardwareAbstraction", "MetronomeEngine"]),
    .target(
      name: "BoardConformance",
      dependencies: ["MetronomeCore", "HardwareAbstraction"],
      path: "Tests/BoardConformance"),
    .target(
      name: "ClockTrials",
      dependencies: [
        "MetronomeCore", "BoardSimulation", .product(name: "RealModule", package: "swift-numerics"),
      ],
      path: "Benchmarks/ClockTrials"),
    .target(
      name: "SignalSupport", dependencies: ["HardwareAbstraction", "BoardSimulation"], path: "Tests/SignalSupport"),
    .target(name: "TestSupport", dependencies: ["MetronomeCore"], path: "Tests/TestSupport"),
    .testTarget(
      name: "MetronomeCoreTests", dependencies: ["MetronomeCore", "ClockTrials", "SignalSupport", "TestSupport"]),
    .testTarget(
      name: "MetronomeEngineTests",
      dependencies: [
        "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "BoardSimulation", "SignalSupport", "HandLife",
        "BeatReckoning", "TestSupport",
      ]),
    .testTarget(
      name: "StateFilesTests",
      dependencies: [
        "StateFiles", "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "BoardSimulation", "HandLife",
        "state-life", "TestSupport",
      ]),
    .testTarget(
      name: "ControlSocketTests",
      dependencies: [
        "ControlSocket", "MetronomeControl", "MetronomeEngine", "MetronomeCore", "HardwareAbstraction",
        "BoardSimulation", "TestSupport",
      ]),
    .target(name: "BeatReckoning", dependencies: ["MetronomeCore"], path: "Tests/BeatReckoning"),
    .target(
      name: "HandLife",
      dependencies: ["MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "BoardSimulation"],
      path: "Tests/HandLife"),
    .executableTarget(
      name: "state-life",
      dependencies: ["HandLife", "StateFiles", "MetronomeCore", "HardwareAbstraction"],
      path: "Tests/state-life"),
    .executableTarget(
      name: "score-times", dependencies: ["CLibrary", "MetronomeCore"], path: "Tests/ScoreModel/score-times"),
    .testTarget(
      name: "MetronomeSimulationTests",
      dependencies: ["MetronomeSimulation", "MetronomeCore", "HardwareAbstraction", "BoardSimulation"]),
    .target(
      name: "FaultFinder",
      dependencies: [
        "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "BoardSimulation", "MetronomeConfiguration",
        "MetronomeSimulation", "ControlSocket", "BeatReckoning", "TestSupport",
      ],
      path: "Tests/FaultFinder/FaultFinder"),
    .executableTarget(
      name: "metronome-fuzz",
      dependencies: [
        "FaultFinder", "MetronomeCore", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/FaultFinder/metronome-fuzz"),
    .testTarget(
      name: "FaultFinderTests",
      dependencies: [
        "FaultFinder", "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "BoardSimulation",
      ],
      path: "Tests/FaultFinder/FaultFinderTests"),
    .testTarget(
      name: "BoardSimulationTests",
      dependencies: ["MetronomeCore", "HardwareAbstraction", "BoardSimulation", "BoardConformance"]),
    .testTarget(
      name: "MetronomeCommandTests",
      dependencies: [
        "metronome", "MetronomeTerminal", "MetronomeConfiguration", "MetronomeCore", "MetronomeEngine",
        "HardwareAbstraction", "SignalSupport",
      ]),
    .testTarget(
      name: "BoardCheckTests", dependencies: ["BoardCheck", "MetronomeCore", "HardwareAbstraction"]),
    .testTarget(
      name: "MetronomeServiceTests",
      dependencies: ["MetronomeService", "MetronomeCore", "HardwareAbstraction", "MetronomeEngine"]),
    .testTarget(
      name: "MetronomeConfigurationTests",
      dependencies: [
        "MetronomeConfiguration", "CLibrary", "MetronomeCore", "HardwareAbstraction", "TestSupport",
      ]),
  ]
)

package.targets += benchmarkTargets + remoteTargets
if hasHardware {
  package.targets += hardwareTargets
  package.products.append(.library(name: "LinuxBoard", targets: ["LinuxBoard"]))
}
if countsAllocations { package.targets += countingTargets }
if Context.environment["METRONOME_FUZZING"] != nil { package.targets += fuzzingTargets }

// Only the tests of some modules, separated by blanks, for Scripts/test --module and Scripts/sanitize.
if let tests = Context.environment["METRONOME_TESTS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { $0.type == .test && !tests.contains($0.name) }
}

// The tests spend most of their time in these modules, so Scripts/test compiles them with the optimizer. SwiftPM calls
// the option unsafe and rejects it in the dependencies of other packages, so it is added on request only.
if Context.environment["METRONOME_FAST_TESTS"] != nil {
  let modules = [
    "MetronomeCore", "HardwareAbstraction", "MetronomeEngine", "BoardSimulation", "SignalSupport", "HandLife",
  ]
  for target in package.targets where modules.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-O"])]
  }
}
