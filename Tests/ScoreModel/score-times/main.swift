import CLibrary
import MetronomeCore

// Prints where the parts of a score begin, or where its beats fall, for the comparisons of Tests/ScoreModel.
//
//   score-times parts <SCORE      a line for each section and pause, and one for the end of each song
//   score-times beats <SCORE      a line for each beat: its time, its mark and the volume in millionths
//
// Times are in 1/2³² of a nanosecond from the beginning of the song. The line of a part has its bar, its beat and its time.
// Those of a section go on with four positions in it, each with its time and the first beat at or after it. A part that is not
// found by its bar, its beats or its time has a mark at the end. In a section without an end, the first hundred beats count.

enum Task: String {
  case parts, beats
}

guard CommandLine.arguments.count == 2, let task = Task(rawValue: CommandLine.arguments[1]) else { exit(64) }

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

var text = ""
while let line = readLine(strippingNewline: false) { text += line }
do {
  for song in try Score(text: text).songs {
    // The parser refuses songs that are too long for a map.
    let map = SongMap(song)!
    var next = map.first
    while let part = next {
      switch task {
      case .parts: print(line(of: part, in: map, song.scale))
      case .beats: printBeats(of: part, song.scale)
      }
      next = map.next(after: part)
    }
    if task == .parts { print("end", map.total.bars, map.total.beats, map.total.time.count) }
  }
} catch {
  print("\(error.line):\(error.column): \(error.text)")
  exit(65)
}
