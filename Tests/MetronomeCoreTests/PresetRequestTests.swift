import MetronomeCore
import Testing

@Suite struct PresetRequestTests {
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
