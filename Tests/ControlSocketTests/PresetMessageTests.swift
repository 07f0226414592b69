import ControlSocket
import MetronomeCore
import Testing

/// Requests about presets and their answers, as messages of the control socket.
@Suite struct PresetMessageTests {
  private static let waltz = PresetName("Slow waltz")!
  private static let march = PresetName("Été / 2")!

  static let requests: [PresetRequest] = [
    .list, .save(waltz, MusicChange()),
    .save(march, MusicChange(tempo: Tempo(milliBPM: 92_500), signature: Signature(7, over: 8, limit: .none))),
    .recall(waltz), .delete(march), .rename(waltz, to: march), .move(waltz, place: 128),
    .move(march, place: 999_999_999),
  ]

  @Test(arguments: requests) func requestsRoundTrip(request: PresetRequest) {
    #expect(sent(request) == request)
  }

  static let errors: [PresetError?] = [
    nil, .noSuchPreset(waltz), .nameIsTaken(march), .isFull, .isElsewhere(waltz), .isInRamp, .isOutsideSession(waltz),
  ]

  @Test(arguments: errors) func repliesRoundTrip(error: PresetError?) throws {
    for saving in [Saving.done, .pending, .refused(.errno(28)), .refused(.detail("28 in words"))] {
      let state = try PresetMessageTests.threePresets()
      // A refused change is not saved.
      let reply = PresetReply(error, savedState: state, saving: error == nil ? saving : .done)
      let request: PresetRequest =
        error == .nameIsTaken(PresetMessageTests.march)
        ? .rename(PresetMessageTests.waltz, to: PresetMessageTests.march) : .delete(PresetMessageTests.waltz)
      let answer = try ControlMessage(parsing: reply.answer.bytes)
      let list = try state.presets.presets.enumerated().map {
        try ControlMessage(parsing: $1.message(place: $0 + 1, isRecalled: $0 == 2).bytes)
      }
      let read = try #require(PresetReply(answer, to: request, list))
      #expect(read.error == reply.error && read.saving == reply.saving)
      #expect(read.savedState.presets == state.presets && read.savedState.recalled == 3)
    }
  }

  static let invalidMessages = [
    ("preset name=a", "preset needs action=…"), ("preset action=save", "preset needs name=…"),
    ("preset action=dance name=a", #"unknown action "dance"; write save, recall, delete, rename or move"#),
    (#"preset action=recall name="""#, #""" is no preset name: it is empty; write one line of at most 64 bytes"#),
    (
      "preset action=recall name=a\u{200D}b",
      #""aU+200Db" is no preset name: it contains U+200D, which is invisible; write one line of at most 64 bytes"#
    ),
    ("preset action=move name=a", "preset action=move needs place=…"),
    ("preset action=move name=a place=0", #"place is "0"; it must be a whole number from 1 to 999999999"#),
    ("preset action=move name=a place=b", #"place is "b"; it must be a whole number from 1 to 999999999"#),
    ("preset action=save name=a tempo=fast", #"tempo is "fast"; write a tempo such as 92.5"#),
    ("preset action=save name=a signature=4", #"signature is "4"; write a signature such as 7/8"#),
    ("preset action=save name=a beat=1/3", #"beat is "1/3"; write a note value such as 1/4 or 3/8"#),
    ("preset action=save name=a rhythm=sub=x", #"rhythm is "sub=x"; write a rhythm such as sub=2"#),
    ("preset action=rename name=a", "preset needs to=…"),
    (
      #"preset action=rename name=a to=" b""#,
      #"" b" is no preset name: it begins or ends with a space; write one line of at most 64 bytes"#
    ),
  ]

  @Test(arguments: invalidMessages) func invalidRequestsAreRefusedWithTheReason(text: String, why: String) throws {
    let message = try ControlMessage(parsing: text.utf8)
    #expect(throws: ControlError(why)) { try PresetRequest(message) }
  }

  @Test(arguments: [
    "", "X.x.", "sub=3", "xxxx sub=2 swing=62%@16", "2:xxx|x|xo*2 & 3:4", "& clave=son32 & X.x @3/8 sound=click",
    "swing=2:1 & x..x",
  ])
  func rhythmsRoundTrip(text: String) throws {
    let rhythm = try Rhythm(text: text, for: Metre(try #require(Signature(text: "1/1"))))
    let unit = try #require(BeatUnit(text: "3/8"))
    for request in [
      PresetRequest.save(PresetMessageTests.waltz, MusicChange(unit: unit)),
      .save(PresetMessageTests.waltz, MusicChange(rhythm: rhythm)),
      .save(PresetMessageTests.waltz, MusicChange(tempo: .initial, signature: .initial, unit: unit, rhythm: rhythm)),
    ] {
      #expect(sent(request) == request)
    }
  }

  private static let blanks = [
    "\u{A0}", "\u{1680}", "\u{2003}", "\u{202F}", "\u{205F}", "\u{3000}", "\u{2800}", "\u{115F}", "\u{1160}",
    "\u{3164}", "\u{FFA0}", "\u{3000}\u{FE0F}",
  ]

  @Test(arguments: blanks) func blankCharacterAtAnEndOfANewNameIsRefused(blank: String) {
    for text in ["x" + blank, blank + "x"] {
      for fields in [["action": "save", "name": text], ["action": "rename", "name": "a", "to": text]] {
        var message = ControlMessage("preset")
        for (key, value) in fields { message.append(key, value) }
        #expect((try? PresetRequest(message)) == nil)
      }
    }
  }

  /// Earlier versions stored such names.
  @Test(arguments: blanks) func storedNameWithABlankCharacterAtAnEndRoundTrips(blank: String) throws {
    for text in ["x" + blank, blank + "x"] {
      let name = try #require(PresetName(stored: text))
      for request in [
        PresetRequest.recall(name), .delete(name), .move(name, place: 1), .rename(name, to: PresetMessageTests.waltz),
      ] {
        #expect(sent(request) == request)
      }
    }
  }

  @Test(arguments: [
    "a\u{301}\u{FE0F}", "\u{1F44B}\u{1F3FB}", "\u{1100}\u{1161}", "\u{1F1E9}\u{1F1EA}", "\u{5D0}\u{5B7}",
    "e\u{301} \u{301}x",
  ])
  func unicodeNamesRoundTrip(text: String) throws {
    let name = try #require(PresetName(text))
    #expect(sent(.rename(name, to: name)) == .rename(name, to: name))
  }

  private static func threePresets() throws -> SavedState {
    var savedState = SavedState()
    for text in ["a", "b", "c"] { try savedState.carryOut(.save(PresetName(text)!, MusicChange())) }
    savedState.recalled = 3
    return savedState
  }

  /// A request as the other end of the socket reads it; nil: it is refused.
  private func sent(_ request: PresetRequest) -> PresetRequest? {
    guard let message = try? ControlMessage(parsing: request.message.bytes) else { return nil }
    return try? PresetRequest(message)
  }
}
