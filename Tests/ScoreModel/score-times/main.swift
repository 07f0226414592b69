import CLibrary
import MetronomeCore

// Prints where the parts of a score begin, or where its beats fall, for the comparisons of Tests/ScoreModel.
//
//   score-times parts <SCORE      a line for each section and pause, and one for the end of each song
//   score-times beats <SCORE      a line for each beat: its time, its mark and the volume in millionths
//   score-times play PRESSES UNTIL MOST <SCORE
//                                 a line for each beat that is played before UNTIL, at most MOST: its instant, bar and position
//
// The presses of `play` are INSTANT:WORD:SPEED, separated by commas. They take effect at once. The word is start, play, next,
// previous, again, or speed, which sets the practice speed in thousandths. Instants are in nanoseconds. The end of the song has a
// line "end" with its instant.
//
// Times of the others are in 1/2⁵⁶ of a nanosecond from the beginning of the song. The line of a part has its bar, its beat and its time.
// Those of a section go on with four positions in it, each with its time and the first beat at or after it. A part that is not
// found by its bar, its beats or its time has a mark at the end. In a section without an end, the first hundred beats count.

enum Task: String {
  case parts, beats, play
}

guard CommandLine.arguments.count > 1, let task = Task(rawValue: CommandLine.arguments[1]),
  CommandLine.arguments.count == (task == .play ? 5 : 2)
else { exit(64) }

func line(of part: SongMap.Occurrence, in map: SongMap, _ scale: Int) -> String {
  let start = part.start
  var words = [String(start.bars), String(start.beats), String(start.time.count)]
  var isFound = true
  if case .section(let section) = part.part {
    let own = SectionMap(section, scale: scale)
    let beats = own.beats ?? 100
    for quarter in 0..<4 as Range<Int64> {
      // Whole beats and sevenths of them.
      let time = own.time(at: Position(7 * beats * quarter + quarter, over: 28))
      words.append("\((start.time + time).count) \(own.firstBeat(atOrAfter: time))")
      isFound = isFound && map.occurrence(at: start.time + time) == part
    }
    isFound =
      isFound && map.occurrence(atBar: start.bars) == part && map.occurrence(atBeat: start.beats + beats - 1) == part
  }
  return (isFound ? words : words + ["lost"]).joined(separator: " ")
}

func printBeats(of part: SongMap.Occurrence, _ scale: Int) {
  guard case .section(let section) = part.part, let voice = section.bar.rhythm.voice(0, in: section.bar.metre) else {
    return
  }
  let own = SectionMap(section, scale: scale)
  let levels = voice.cells.flatMap(\.levels)
  for beat in 0..<(own.beats ?? 100) {
    let time = part.start.time + own.time(at: Position(beat))
    print(time.count, levels[Int(beat) % levels.count].mark, section.volume)
  }
}

/// A metronome that plays the first song of a score.
struct Performance {
  private var metronome = Metronome()
  private var now = Instant.zero
  private var next: Int64 = 0
  private(set) var lines: [String] = []
  private let most: Int
  private let scale: Int

  init(_ score: Score, most: Int) {
    self.most = most
    scale = score.songs[0].scale
    metronome.load(SetList(score))
  }

  mutating func press(_ word: String, speed: Int) {
    let command: Command? =
      switch word {
      case "start", "play": .togglePlaying
      case "next": .nextSection
      case "previous": .previousSection
      case "again": .restartSection
      case "speed": .stepTempo(byMilliBPM: (speed - (metronome.state.score?.speed ?? scale)) * 100)
      default: nil
      }
    guard let command else { exit(64) }
    metronome.apply(command, pressed: now, effective: now, now: now)
  }

  /// Plays the beats before an instant.
  mutating func play(until end: Instant) {
    while now < end, lines.count < most {
      let wasPlaying = metronome.timeline.isPlaying
      let due = min(metronome.deadline ?? end, end)
      while lines.count < most, let beat = metronome.timeline.beat(next), beat.instant < due {
        lines.append("\(beat.instant.nanoseconds) \(beat.bar) \(beat.position)")
        next += 1
      }
      now = due
      metronome.catchUp(effective: now, now: now)
      if wasPlaying, !metronome.timeline.isPlaying, lines.count < most { lines.append("end \(now.nanoseconds)") }
    }
  }
}

/// Plays a song with presses such as `0:start:0,1500000000:speed:500`.
func play(_ score: Score, _ presses: String, until end: Int64, most: Int) -> [String] {
  var performance = Performance(score, most: most)
  for press in presses.split(separator: ",") {
    let words = press.split(separator: ":")
    guard words.count == 3, let instant = Int64(words[0]), let speed = Int(words[2]) else { exit(64) }
    performance.play(until: Instant(nanoseconds: instant))
    performance.press(String(words[1]), speed: speed)
  }
  performance.play(until: Instant(nanoseconds: end))
  return performance.lines
}

var text = ""
while let line = readLine(strippingNewline: false) { text += line }
do {
  let score = try Score(text: text)
  if task == .play {
    guard let end = Int64(CommandLine.arguments[3]), let most = Int(CommandLine.arguments[4]) else { exit(64) }
    for line in play(score, CommandLine.arguments[2], until: end, most: most) { print(line) }
    exit(0)
  }
  for song in score.songs {
    // The parser refuses songs that are too long for a map.
    let map = SongMap(song)!
    var next = map.first
    while let part = next {
      switch task {
      case .parts: print(line(of: part, in: map, song.scale))
      case .beats: printBeats(of: part, song.scale)
      case .play: break
      }
      next = map.next(after: part)
    }
    if task == .parts { print("end", map.total.bars, map.total.beats, map.total.time.count) }
  }
} catch {
  print("\(error.line):\(error.column): \(error.text)")
  exit(65)
}
