import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import Testing

@Suite struct RouteKeysTests {
  private typealias Route = ClickRoutes.Route

  private func routes(_ yaml: String) throws -> [Route] { try configuration("audio: {routes: \(yaml)}").routes.routes }

  @Test func routesAreReadAndWritten() throws {
    #expect(Configuration.standard.routes == .standard)
    #expect(try routes("[{channels: 1}]") == [Route(1)])
    #expect(try routes("[{channels: [1]}]") == [Route(1)])
    #expect(
      try routes("[{channels: [2, 1], gain_db: -6}]") == [
        Route(2, 1, decibels: Dictionary(uniqueKeysWithValues: ClickRoutes.Source.allCases.map { ($0, -6) }))
      ])
    #expect(try routes("[{channels: 3, play: count_in}]") == [Route(3, decibels: [.countIn: 0])])
    #expect(
      try routes("[{channels: [5, 6], play: {strong: -1, clicks: -6.5, words: 3}, gain_db: -2}]") == [
        Route(
          5, 6,
          decibels: [
            .strong: -3, .medium: -8.5, .weak: -8.5, .ghost: -8.5, .voice1: -8.5, .voice2: -8.5, .voice3: -8.5,
            .words: 1,
          ])
      ])
    for yaml in [
      "[{channels: [1, 2]}]", "[{channels: 1, gain_db: -6}, {channels: [3, 4], play: [words, voice_2]}]",
      "[{channels: 32, play: {clicks: -60, count_in: 20}}]",
    ] {
      let read = try configuration("audio: {routes: \(yaml)}")
      #expect(try configuration(read.yaml) == read, "\(yaml)")
    }
  }

  @Test func theCardIsOpenedWithTheChannelsOfTheRoutes() throws {
    #expect(Configuration.standard.audio.channels == 2)
    #expect(try configuration("audio: {routes: [{channels: 1}]}").audio.channels == 2)
    #expect(try configuration("audio: {routes: [{channels: 9}, {channels: [3, 4]}]}").audio.channels == 9)
  }

  @Test(arguments: [
    ("[]", "audio.routes is empty"), ("[{channels: 0}]", "a channel from 1 to 32"),
    ("[{channels: 33}]", "a channel from 1 to 32"), ("[{play: all}]", "a route has no channels"),
    ("[{channels: [1, 2, 3]}]", "a route has 3 channels"), ("[{channels: []}]", "a route has 0 channels"),
    ("[{channels: [4, 4]}]", "left and right are the same channel"), ("[3]", "a route must be a section"),
    ("[{channels: 1}, {channels: [2, 1]}]", "channel 1 has two routes"),
    ("[{channels: 1, play: click}]", "did you mean \"clicks\"?"),
    ("[{channels: 1, play: [words, cowbell]}]", "cowbell"),
    ("[{channels: 1, play: {words: loud}}]", "loud"), ("[{channels: 1, gain_db: 21}]", "from -60 to 20"),
    ("{channels: 1}", "a list of routes"), ("[{channels: 1, gain: 2}]", "gain_db"),
  ])
  func mistakesAreExplained(_ yaml: String, _ part: String) {
    let text = complaint("audio: {routes: \(yaml)}")
    #expect(text?.contains(part) == true, "\(text ?? "accepted")")
  }
}
