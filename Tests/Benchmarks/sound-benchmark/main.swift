import ClockTrials

var base: UInt64 = 1
if CommandLine.arguments.count == 3 { base = UInt64(CommandLine.arguments[2])! }
func median(_ x: [Double]) -> Double { let s = x.sorted(); return (s[s.count / 2] + s[(s.count - 1) / 2]) / 2 }
for noise in Noise.allCases {
  let trials = (0..<12).map { ClockTrial(noise: noise, seed: base &* 1_000 &+ UInt64($0)) }
  let m = ClockTrial.Filter.allCases.map { f in median(trials.map { $0.worst(f) }) }
  let r = m.map { $0 / min(m[0], m[1]) }
  let lock = ClockTrial.Filter.allCases.map { f in trials.map { $0.worst(f, from: noise == .granules ? 2 : 1) }.max()! }
  print(noise.rawValue, m, "ratio", r[2], r[3], "lock", lock)
}
let calm = ClockTrial(noise: .quiet, seed: base)
let slew = ClockTrial(noise: .quiet, card: Card(slewPPM: 500), seed: base)
print("slew", ClockTrial.Filter.allCases.map { slew.excess($0, over: calm) })
