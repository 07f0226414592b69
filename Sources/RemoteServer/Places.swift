import MetronomeCore

/// Who has a place. Each paired phone has its own, so that visitors cannot occupy them; visitors share theirs by their networks.
extension PageServer {
  private enum Holder: Hashable {
    case visitors, thisMachine
    case phone(Pairing.Hash)
  }

  private func holder(of client: Client) -> Holder {
    if isTrusted(client) { return .thisMachine }
    guard let phone = client.phone, pairing.isPaired(phone) else { return .visitors }
    return .phone(phone)
  }

  /// Ends other connections until there is room for one that was accepted, or that has sent another token.
  func makeRoom(for number: Int) {
    guard let client = clients[number] else { return }
    let holder = holder(of: client)
    let limit = holder == .visitors ? Limits.connections : Limits.connectionsPerPhone
    while true {
      let open = connections { !$0.connection.isEnded && self.holder(of: $0) == holder }
      guard open.count > limit, let oldest = oldest(of: open.filter { $0.number != number }) else { return }
      clients[oldest.number]?.connection.end()
    }
  }

  /// Whether a connection may become a WebSocket. If all places are taken, the oldest WebSocket gives way: at once if its network has
  /// more than that of the newcomer, otherwise after a time, so that pages that connect again do not displace each other forever.
  func hasRoomForSocket(_ client: Client, at now: Instant) -> Bool {
    let holder = holder(of: client)
    let isVisitor = holder == .visitors
    let sockets = connections { $0.connection.isWebSocket && self.holder(of: $0) == holder }
    guard sockets.count >= (isVisitor ? Limits.sockets : Limits.socketsPerPhone) else { return true }
    guard let oldest = oldest(of: sockets) else { return false }
    let busiest = sockets.count { $0.network == oldest.network }
    let own = sockets.count { $0.network == client.network }
    let tenure = isVisitor ? Limits.visitorTenure : Limits.phoneTenure
    guard busiest >= own + 2 || now - oldest.since >= tenure else { return false }
    clients[oldest.number]?.connection.close(WebSocketFrame.tryAgainLater, at: now)
    return true
  }

  /// What decides which connection gives way. The connections themselves are not copied.
  private struct Candidate {
    var number: Int
    var isWebSocket: Bool
    var network: String
    var since: Instant
  }

  private func connections(where isCandidate: (Client) -> Bool) -> [Candidate] {
    var candidates: [Candidate] = []
    for (number, client) in clients where isCandidate(client) {
      let connection = client.connection
      candidates.append(
        Candidate(
          number: number, isWebSocket: connection.isWebSocket, network: client.network, since: connection.idleSince))
    }
    return candidates
  }

  /// The oldest connection of the network that has most of them; a WebSocket only if there are no others.
  private func oldest(of candidates: [Candidate]) -> Candidate? {
    let crowds = Dictionary(candidates.map { ($0.network, 1) }, uniquingKeysWith: +)
    func rank(_ candidate: Candidate) -> (Int, Int, Instant, Int) {
      let crowd = crowds[candidate.network, default: 0]
      return (candidate.isWebSocket ? 1 : 0, -crowd, candidate.since, candidate.number)
    }
    return candidates.map { (rank($0), $0) }.min { $0.0 < $1.0 }?.1
  }
}
