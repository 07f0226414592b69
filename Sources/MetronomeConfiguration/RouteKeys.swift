import HardwareAbstraction
import MetronomeCore

extension Key {
  /// Which sounds go to which channels.
  static var routes: Key {
    routes(
      "audio.routes", \.routes, of: \.audio,
      "which sounds go to which channels of the card; a channel without a route is silent. The key \"channels\" is a channel, from 1 to "
        + "32, or a pair of left and right, such as [3, 4]. The key \"play\" names what the route plays: all, which is the "
        + "default, clicks (of all levels and voices), strong, medium, weak, ghost (clicks of the main voice), voice_1, voice_2, voice_3 (those "
        + "of the other voices), words (the spoken count) or count_in (the bars before a start); one of them, a list, or "
        + "a section with decibels, such as {clicks: -6, count_in: 0}. The key \"gain_db\" is the gain of the route")
  }

  /// The routes of the card that a request opens.
  static func routes(
    _ path: String, _ routes: WritableKeyPath<Configuration, ClickRoutes> & Sendable,
    of request: WritableKeyPath<Configuration, AudioRequest> & Sendable, _ meaning: String
  ) -> Key {
    Key(
      path: path, meaning: meaning, form: Routes.form,
      access: Access(
        read: { (field, reader) throws(Problem) in
          let read = try reader.readRoutes(field)
          reader.configuration[keyPath: routes] = read
          // A card with one channel may be a sound server's: it would play it in both ears.
          reader.configuration[keyPath: request].channels = max(2, read.channelCount)
        },
        text: { Routes.text(of: $0[keyPath: routes]) }, isSame: { $0[keyPath: routes] == $1[keyPath: routes] }))
  }
}

private enum Routes {
  static let form = "a list of routes, such as [{channels: [1, 2]}, {channels: 3, play: count_in}]"
  static let playForm = "what it plays, such as clicks, [clicks, words] or {clicks: -6, words: 0}"
  static let channel = Form<Int>.number("a channel", 1...ClickRoutes.highestChannel)
  static let decibels = Form<Double>.decimal("a number of decibels", -60...20)

  typealias Source = ClickRoutes.Source

  /// The words of a file, and what they mean.
  static let words: [(word: String, sources: [Source])] =
    [("all", Source.allCases), ("clicks", Source.clicks)] + Source.allCases.map { (word(for: $0), [$0]) }

  static func word(for source: Source) -> String {
    switch source {
    case .strong: "strong"
    case .medium: "medium"
    case .weak: "weak"
    case .ghost: "ghost"
    case .voice1: "voice_1"
    case .voice2: "voice_2"
    case .voice3: "voice_3"
    case .words: "words"
    case .countIn: "count_in"
    }
  }

  static func sources(_ field: Field, named word: String) throws(Problem) -> [Source] {
    if let known = words.first(where: { $0.word == word }) { return known.sources }
    let names = words.map(\.word)
    let nearest = nearestKey(to: word, among: names).map { "did you mean \(quoted($0))?" }
    throw Problem(
      "\(field.path): \(quoted(word)) is no sound of a route",
      remedy: nearest ?? "write \(enumeration(names))", at: field.value.position)
  }

  static func text(of routes: ClickRoutes) -> String { "[\(routes.routes.map(text).joined(separator: ", "))]" }

  private static func text(of route: ClickRoutes.Route) -> String {
    let channels = route.right.map { "[\(route.left), \($0)]" } ?? String(route.left)
    let gains = Source.allCases.map { route.decibels[$0] }
    if gains.allSatisfy({ $0 == 0 }) { return "{channels: \(channels)}" }
    if let first = gains[0], gains.allSatisfy({ $0 == first }) {
      return "{channels: \(channels), gain_db: \(decibels.text(first) ?? "")}"
    }
    let played = Source.allCases.compactMap { source in
      route.decibels[source].map { "\(word(for: source)): \(decibels.text($0) ?? "")" }
    }
    return "{channels: \(channels), play: {\(played.joined(separator: ", "))}}"
  }
}

extension ConfigurationReader {
  fileprivate mutating func readRoutes(_ field: Field) throws(Problem) -> ClickRoutes {
    var routes: [ClickRoutes.Route] = []
    var used: Set<Int> = []
    let items = try field.list(Routes.form)
    readEach(items) { (item, reader) throws(Problem) in
      guard case .section = item.value.content else {
        throw Problem(
          "a route must be a section", remedy: "write its channels in braces, such as {channels: [1, 2]}",
          at: item.value.position)
      }
      guard let route = try reader.readRoute(item) else { return }
      for channel in route.channels {
        guard used.insert(channel).inserted else {
          throw Problem(
            "channel \(channel) has two routes",
            remedy: "write one route for it, with a gain for each sound, such as play: {clicks: -6, words: 0}",
            at: item.value.position)
        }
      }
      routes.append(route)
    }
    guard !items.isEmpty else {
      throw Problem(
        "\(field.path) is empty, so nothing would sound", remedy: "write a route, or \"device: none\" for no sound",
        at: field.value.position)
    }
    return ClickRoutes(routes)
  }

  /// - Returns: nil if its keys have problems, which are collected.
  private mutating func readRoute(_ item: Field) throws(Problem) -> ClickRoutes.Route? {
    var route: ClickRoutes.Route?
    var gains: [ClickRoutes.Source: Double]?
    var gain = 0.0
    let isValid = try readFields(of: item, ["channels", "play", "gain_db"]) { (field, reader) throws(Problem) in
      switch field.key {
      case "channels": route = try reader.readChannels(field)
      case "play": gains = try reader.readPlayed(field)
      default: gain = try field.read(Routes.decibels)
      }
    }
    guard isValid else { return nil }
    guard var route else {
      throw Problem(
        "a route has no channels", remedy: "add one channel or two, such as \"channels: [3, 4]\"", at: item.position)
    }
    if let gains { route.decibels = gains }
    route.decibels = route.decibels.mapValues { min(20, max(-60, $0 + gain)) }
    return route
  }

  private mutating func readChannels(_ field: Field) throws(Problem) -> ClickRoutes.Route {
    guard case .list = field.value.content else { return ClickRoutes.Route(try field.read(Routes.channel)) }
    var channels: [Int] = []
    for item in try field.list("a channel or two") { channels.append(try item.read(Routes.channel)) }
    guard (1...2).contains(channels.count) else {
      throw Problem(
        "\(field.path): a route has \(channels.count) channels",
        remedy: "write one channel, or left and right; further ones get routes of their own", at: field.value.position)
    }
    guard channels.count == 2 else { return ClickRoutes.Route(channels[0]) }
    guard channels[0] != channels[1] else {
      throw Problem(
        "\(field.path): left and right are the same channel", remedy: "write one channel: \(channels[0])",
        at: field.value.position)
    }
    return ClickRoutes.Route(channels[0], channels[1])
  }

  private mutating func readPlayed(_ field: Field) throws(Problem) -> [ClickRoutes.Source: Double] {
    var gains: [ClickRoutes.Source: Double] = [:]
    switch field.value.content {
    case .scalar:
      for source in try Routes.sources(field, named: field.scalar(Routes.playForm).text) { gains[source] = 0 }
    case .list:
      for item in try field.list(Routes.playForm) {
        for source in try Routes.sources(item, named: item.scalar(Routes.playForm).text) { gains[source] = 0 }
      }
    case .section:
      // A word for several sounds comes first, so that single ones can differ from it.
      let entries = try field.entries(Routes.playForm)
      var read: [(sources: [ClickRoutes.Source], gain: Double)] = []
      for entry in entries {
        let name = Field(key: entry.key, path: field.path, position: entry.position, value: field.value)
        var sources: [ClickRoutes.Source] = []
        do throws(Problem) { sources = try Routes.sources(name, named: entry.key) } catch {
          throw Problem(error.what, remedy: error.remedy, at: entry.position)
        }
        read.append((sources, try entry.read(Routes.decibels)))
      }
      for (sources, gain) in read.sorted(by: { $0.sources.count > $1.sources.count }) {
        for source in sources { gains[source] = gain }
      }
    }
    return gains
  }
}
