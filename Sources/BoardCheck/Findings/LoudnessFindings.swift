extension BoardFacts {
  var volume: Finding? {
    guard audioIsWanted, let volume = configuration.volume, volume <= 0 else { return nil }
    let wish = hasOutputLine ? ", or audio.device to none if no clicks are wanted" : ""
    return noClicks(
      "volume", "audio.volume is 0: no click is heard", remedy: "set audio.volume in \(configurationFile) to 0.8\(wish)"
    )
  }

  /// A reason for which there are no clicks: doubtful while there is a light or a buzzer, and wrong without.
  func noClicks(_ subject: String, _ text: String, remedy: String) -> Finding {
    if hasOutputLine { return .doubtful(.sound, subject, text, remedy: remedy) }
    return .wrong(
      .sound, subject, "\(text); and no output has a line: the box can be neither seen nor heard",
      remedy: "\(remedy); or set outputs.light.line in \(configurationFile) to the line of a light")
  }
}
