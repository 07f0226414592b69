#if canImport(Glibc)
  import BoardSimulation
  import ControlSocket
  import HardwareAbstraction
  import MetronomeCore
  import MetronomeEngine
  import Testing

  /// Why a command is refused, in the answer of the control socket.
  @Suite struct RefusalTests {
    /// The reason of the refusal of each command; "" for one that is carried out.
    private func reasons(_ commands: [String], _ rig: Rig) throws -> [String] {
      let client = try rig.greeted()
      return try commands.map { command in
        client.send("do command=\"\(command)\"")
        let answer = try #require(rig.answers(client).first)
        return try ControlMessage(parsing: answer.utf8)["why"] ?? ""
      }
    }

    @Test func withoutAScore() throws {
      let rig = try Rig()
      let found = try reasons(
        [
          "ramp", "timer", "next_preset", "recall 2", "store 1", "recall 2", "next_section", "previous_song",
          "beat 1/8",
          "ramp 1+1/1bar..5", "signature 7/8", "rhythm X.x.", "ramp none", "timer never", "gap none", "drop none",
        ], rig)
      #expect(
        found == [
          "no ramp is configured; send ramp 80+5/4bar..120", "no timer is configured; send timer 10m",
          "there are no presets yet; store 1 makes one", "there are no presets yet; store 1 makes one", "",
          "there is no preset 2; the list has 1", "no score is loaded", "no score is loaded", "",
          "in beats of 1/8 this ramp leaves the range of 1 to 999 quarters per minute, or has too many decimals", "",
          "the pattern has 4 notes, and a bar has 7 notes; write one or more whole bars", "", "", "", "",
        ])
      #expect(!rig.state.isPlaying)
    }

    @Test func withAScoreOrARamp() throws {
      let rig = try Rig()
      _ = try reasons(["store 1"], rig)
      rig.simulation.engine.control.load(SetList(try Score(text: "4 120"), name: "Gig"), at: rig.now)
      let scored = try reasons(
        [
          "tempo 90", "signature 3/4", "rhythm sub=2", "beat 3/8", "ramp", "ramp 80+5/4bar..120", "recall 1",
          "recall 2",
          "next_preset", "faster", "next_section",
        ], rig)
      let music = "the song has its own signatures and rhythms; unload the song first"
      let tempo = "the song has its own tempo; unload the song first"
      let speed = "the song has its own tempo; change its speed with faster and slower, or unload the song first"
      #expect(
        scored == [
          speed, music, music, music, tempo, tempo,
          "this preset is no place in the loaded score; unload the song first",
          "there is no preset 2; the list has 1", "no preset can be recalled now", "", "",
        ])
      _ = try reasons(["store 2"], rig)
      rig.simulation.engine.control.load(nil, at: rig.now)
      let ramping = try reasons(["recall 2", "ramp 80+5/4bar..120", "next_section", "signature 3/4", "ramp none"], rig)
      let inRamp = "this is not possible in a ramp; end the ramp first (ramp none)"
      #expect(
        ramping == [
          "this preset names a place in a score that is not loaded; load the score first", "", inRamp, inRamp, "",
        ])
    }

    @Test func aPresetRequestInARamp() throws {
      let rig = try Rig()
      _ = try reasons(["store 1", "ramp 80+5/4bar..120"], rig)
      let client = try rig.greeted()
      client.send("preset action=recall name=1 id=1")
      #expect(
        rig.answers(client) == [
          #"refused why="in a ramp no preset can be recalled, or saved without a tempo; end the ramp first (ramp none)" error=ramp id=1"#
        ])
      client.send("preset action=save name=a id=4")
      #expect(rig.answers(client).first?.hasSuffix("error=ramp id=4") == true)
      client.send("preset action=save name=a tempo=97 id=2")
      #expect(rig.answers(client) == ["done saving=done id=2"])
      _ = try reasons(["ramp none"], rig)
      client.send("preset action=recall name=1 id=3")
      #expect(rig.answers(client) == ["done saving=done id=3"])
    }

    @Test func wordsThatAreNoCommand() throws {
      let rig = try Rig()
      let found = try reasons(["none", "ramp never", "timer none", "ramp 80+5/4bar..80"], rig)
      #expect(
        found == [
          #""none" is no command; none is only written in a configuration, for a button without a command; write a command "#
            + "such as play, or ramp none to end a ramp",
          #""ramp never" is no command; after ramp write none, or steps such as 80+5/4bar..120!stop"#,
          #""timer none" is no command; after timer write never, or a duration from 1s to 24h, such as 10m"#,
          #""ramp 80+5/4bar..80" is no command; the steps begin and end at "80"; write another last tempo, such as "#
            + "60+5/4bar..120",
        ])
    }

    @Test func aSignatureBeyondTheLimit() throws {
      var options = EngineOptions()
      options.settings = Settings(limit: .denominator)
      let rig = try Rig(options)
      let found = try reasons(["signature 7/8", "signature 9/8", "signature 3/2"], rig)
      #expect(
        found == [
          "",
          "the signature 9/8 exceeds the limit; write 1/8 to 8/8, or remove \"numerator_limit: denominator\"",
          "the signature 3/2 exceeds the limit; use the denominator 4, 8, 16 or 32, or remove "
            + "\"numerator_limit: denominator\"",
        ])
      #expect(rig.state.signature == Signature(text: "7/8"))
    }

    @Test func whileFollowingAMIDIClock() throws {
      var options = EngineOptions()
      options.source = SourceOptions()
      let rig = try Rig(options)
      let script = try Script(text: Array("0s midi clock 100 for 60s".utf8), file: "test")
      rig.simulation.board.inputs?.schedule(script.inputs(from: .zero))
      rig.advance(.seconds(10))
      let found = try reasons(
        ["tempo 90", "faster", "reset_tempo", "ramp 80+5/4bar..120", "tap", "ramp none", "silent"], rig)
      let reason = "the tempo follows a MIDI clock; set it there, or remove midi.in from the configuration"
      #expect(found == [reason, reason, reason, reason, reason, "", ""])
    }
  }
#endif
