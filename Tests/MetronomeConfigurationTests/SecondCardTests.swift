import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import Testing

@Suite struct SecondCardTests {
  @Test func secondCardIsReadAndWritten() throws {
    #expect(Configuration.standard.secondAudio.device == .none)
    let read = try configuration(
      """
      audio:
        second: {device: Headphones, rate: 44100, period: 441, periods: 3, latency_us: 2500, gain_db: -6, routes: [{channels: 4}]}
        device: Device
      """)
    var request = AudioRequest(device: .named("Headphones"), rate: 44_100, period: 441, periods: 3)
    request.channels = 4
    #expect(read.secondAudio == request)
    #expect(read.audio == AudioRequest(device: .named("Device")))
    #expect(read.secondCard == CardSounds(gainDB: -6, routes: ClickRoutes([ClickRoutes.Route(4)])))
    #expect(read.latencies.secondAudio == .microseconds(2_500) && read.latencies.audio == .zero)
    #expect(read.presentOutputs.contains(.secondAudio))
    #expect(try configuration(read.yaml) == read)
    #expect(read.changes(from: .standard) == ["audio.device", "audio.second"])
    #expect(try read.readSounds().gainDB == 0)
  }

  @Test(arguments: [
    ("{second: {device: A}}", "neither audio.device nor audio.second.device can be auto"),
    ("{device: A, second: {device: auto}}", "neither audio.device nor audio.second.device can be auto"),
    ("{device: none, second: {device: A}}", "audio.second has a card, but audio.device is none"),
    ("{device: A, second: {device: A}}", "the same card"),
    ("{device: \"hw:CARD=A,DEV=0\", second: {device: A}}", "the same card"),
    ("{device: \"plughw:A\", second: {device: \"hw:A,0\"}}", "the same card"),
    ("{device: A, second: {device: B, rate: 8000, period: 8192}}", "longer than one second"),
    ("{device: A, second: {device: B, routes: []}}", "audio.second.routes is empty"),
    ("{device: A, second: {device: B, volume: 1}}", "volume"), ("{second: B}", "audio.second"),
  ])
  func mistakesAreExplained(_ yaml: String, _ part: String) {
    let text = complaint("audio: \(yaml)")
    #expect(text?.contains(part) == true, "\(text ?? "accepted")")
  }

  @Test func otherDevicesOfACardAreOtherCards() throws {
    #expect(
      try configuration("audio: {device: \"hw:A,0\", second: {device: \"hw:A,1\"}}").secondAudio.device
        == .named("hw:A,1"))
  }
}
