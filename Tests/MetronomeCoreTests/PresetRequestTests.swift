import MetronomeCore
import Testing

@Suite struct PresetRequestTests {
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
      let state = try savedState(recalled: 3)
      // A refused change is not saved.
      let reply = PresetReply(error, savedState: state, saving: error == nil ? saving : .done)
      let request: PresetRequest =
        error == .nameIsTaken(PresetRequestTests.march)
        ? .rename(PresetRequestTests.waltz, to: PresetRequestTests.march) : .delete(PresetRequestTests.waltz)
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

  /// A saved state with the presets a, b and c. The preset at the given place was recalled last.
  private func savedState(recalled: Int?) throws -> SavedState {
    var savedState = SavedState()
    for text in ["a", "b", "c"] { try savedState.carryOut(.save(PresetName(text)!, MusicChange())) }
    savedState.recalled = recalled
    return savedState
  }

  private func name(_ text: String) -> PresetName { PresetName(text)! }

  @Test func recalledPlaceFollowsItsPreset() throws {
    let cases: [(PresetRequest, Int?, Int?)] = [
      (.move(name("a"), place: 3), 1, 3), (.move(name("a"), place: 3), 3, 2), (.move(name("c"), place: 1), nil, nil),
      (.rename(name("b"), to: name("z")), 2, 2), (.delete(name("a")), 3, 2), (.delete(name("b")), 2, nil),
      (.delete(name("a")), 1, nil), (.save(name("b"), MusicChange()), 2, 2), (.recall(name("c")), 1, 3), (.list, 2, 2),
    ]
    for (request, before, after) in cases {
      var savedState = try savedState(recalled: before)
      try savedState.carryOut(request)
      #expect(savedState.recalled == after, "\(request)")
    }
  }

  @Test func refusedRequestsChangeNothing() throws {
    let before = try savedState(recalled: 2)
    let refusals: [(PresetRequest, PresetError)] = [
      (.recall(name("d")), .noSuchPreset(name("d"))), (.delete(name("d")), .noSuchPreset(name("d"))),
      (.move(name("d"), place: 1), .noSuchPreset(name("d"))),
      (.rename(name("a"), to: name("b")), .nameIsTaken(name("b"))),
    ]
    for (request, error) in refusals {
      var savedState = before
      #expect(throws: error) { try savedState.carryOut(request) }
      #expect(savedState == before)
    }
  }

  @Test func recallSetsTempoAndSignatureAndSaveStoresThem() throws {
    var savedState = SavedState()
    try savedState.carryOut(
      .save(name("fast"), MusicChange(tempo: Tempo(bpm: 200), signature: Signature(3, over: 4, limit: .none))))
    try savedState.carryOut(.recall(name("fast")))
    try savedState.carryOut(.save(name("again"), MusicChange()))
    #expect(savedState.tempo == Tempo(bpm: 200) && savedState.signature.description == "3/4")
    #expect(savedState.presets[name("again")]?.tempo == Tempo(bpm: 200))
  }
}

/// A request as the other end of the socket reads it; nil: it is refused.
func sent(_ request: PresetRequest) -> PresetRequest? {
  guard let message = try? ControlMessage(parsing: request.message.bytes) else { return nil }
  return try? PresetRequest(message)
}
