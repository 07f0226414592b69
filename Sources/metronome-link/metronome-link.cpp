// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright the metronome maintainers
//
// Connects a running metronome with an Ableton Link session. The metronome is reached through its control socket
// (Documentation/ControlSocket.md), the session through the Link library. Two clocks meet here: Link counts microseconds of
// CLOCK_MONOTONIC_RAW, the box nanoseconds of CLOCK_MONOTONIC. Nothing is filtered: the box smooths the steps of Link's clock.

#include <ableton/Link.hpp>

#include <ifaddrs.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <csignal>

#include "control-socket.hpp"
#include "silence.hpp"

#ifndef METRONOME_LINK_VERSION
#define METRONOME_LINK_VERSION "unknown"
#endif

namespace {

using SessionState = ableton::Link::SessionState;
using namespace std::chrono_literals;

/// Both directions between the session and the box. All of it runs on the main thread.
class Companion {
public:
  Companion(const std::string &path, bool startStop) : startStop(startStop), box(path) {
    link.enableStartStopSync(startStop);
    // These callbacks run on Link's thread: they only wake the main thread.
    link.setNumPeersCallback([this](size_t) { wake(); });
    link.setTempoCallback([this](double) { wake(); });
    link.setStartStopCallback([this](bool) { wake(); });
  }

  void run(int signals) {
    notifyManager("READY=1");
    Micros nextSecond{0};
    for (;;) {
      const Micros now = link.clock().micros();
      if (now >= nextSecond) {
        everySecond(now);
        nextSecond = now + 1s;
      }
      if (wishedTempo && now >= wishedAt) applyWishedTempo();
      if (ready && now >= nextSource(now)) sendSource();
      pollfd fds[] = {{signals, POLLIN, 0}, {waker, POLLIN, 0}, {box.fd, POLLIN, 0}};
      Micros due = ready ? std::min(nextSecond, nextSource(now)) : nextSecond;
      if (wishedTempo) due = std::min(due, wishedAt);
      const auto wait = std::max(due - link.clock().micros(), Micros{0});
      poll(fds, 3, int((wait.count() + 999) / 1000));
      if (fds[0].revents) break;
      eventfd_t ignored;
      if (fds[1].revents && eventfd_read(waker, &ignored) == 0) changed = true;
      // Bounded, so that a flood cannot keep the loop from its other work.
      for (int i = 0; i < 64 && fds[2].revents; i++) {
        const auto text = box.receive();
        if (!text) break;
        heard = link.clock().micros();
        handle(Message(*text));
      }
      if (box.fd < 0) ready = false;
    }
    notifyManager("STOPPING=1");
    if (ready) sendSource(true);
  }

private:
  const bool startStop;
  const int waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  ControlSocket box;
  ableton::Link link{120};

  // The box.
  bool ready = false;         // it has answered the greeting
  Micros heard{0};            // its last message
  double setTempo = 0;        // the tempo that is set; 0 before the first state
  double quantum = 4;         // the bar, in quarters
  bool boxPlays = false, boxHasScore = false;
  std::string refusal;        // the last refusal, so that each is logged once
  std::optional<double> wishedTempo;
  Micros wishedAt{0};

  // The session, as last observed.
  bool changed = true;
  std::optional<double> quarter;
  Micros observedAt{0};
  double rate = 0;            // quarters per microsecond
  int64_t epoch = std::time(nullptr);  // differs from that of an earlier run
  size_t loggedPeers = SIZE_MAX;
  double loggedTempo = 0;
  int interfacesError = 0;
  UnreadSockets unread;
  bool opensAnew = false;     // the session was left because Link is deaf, and is opened with the next second

  void wake() { eventfd_write(waker, 1); }
  bool alone() const { return link.numPeers() == 0; }

  /// Four times a second; after a change at once, but at most 40 times a second.
  Micros nextSource(Micros now) const { return changed ? std::max<Micros>(now, observedAt + 25ms) : observedAt + 250ms; }

  void everySecond(Micros now) {
    notifyManager("WATCHDOG=1");
    if (box.fd < 0) {
      heard = now;
      box.open();
    } else if (now - heard > 3s) {
      box.lose("it is silent");
      ready = false;
    }
    checkInterfaces();
    checkListening();
    const auto peers = link.numPeers();
    const double tempo = link.captureAppSessionState().tempo();
    if (!link.isEnabled() || (peers == loggedPeers && std::abs(tempo - loggedTempo) < 0.005)) return;
    loggedPeers = peers;
    loggedTempo = tempo;
    char text[64];
    std::snprintf(text, sizeof text, "%zu peer%s, %.2f BPM", peers, peers == 1 ? "" : "s", tempo);
    log("%s", text);
    notifyManager(std::string("STATUS=") + text);
  }

  /// Link finds no peers without a list of the interfaces, and does not say so.
  void checkInterfaces() {
    ifaddrs *interfaces = nullptr;
    const int error = getifaddrs(&interfaces) == 0 ? 0 : errno;
    if (error == 0) freeifaddrs(interfaces);
    if (error != 0 && error != interfacesError)
      log("cannot list the network interfaces (%s), so no peers are found: the service must be allowed to use AF_NETLINK",
          std::strerror(error));
    interfacesError = error;
  }

  /// A session that does not hear the network any more is left, and opened with new sockets a second later, because Link carries out
  /// what it is told after a while. The tempo and the beats go on.
  void checkListening() {
    if (opensAnew) {
      opensAnew = false;
      link.enable(true);
    }
    if (!unread.found() || !link.isEnabled()) return;
    log("Link has not read for 10 s what it was sent: the session is opened anew");
    link.enable(false);
    opensAnew = true;
  }

  void handle(const Message &message) {
    if (message.word == "hello" && !ready) {
      const std::string role(message.text("role").value_or("?"));
      log("connected to the metronome as %s", role.c_str());
      box.greeted();
      box.send("subscribe to=state,timeline,wishes");
      ready = true;
    } else if (message.word == "refused") {
      const std::string why(message.text("why").value_or("without a reason"));
      if (why != refusal) log("the metronome refuses: %s", why.c_str());
      refusal = why;
    } else if (message.word == "done") {
      refusal.clear();
    } else if (message.word == "state") {
      handleState(message);
    } else if (message.word == "timeline") {
      alignSession(message);
    } else if (message.word == "wish") {
      if (const auto tempo = message.tempo("tempo")) {
        wishedTempo = tempo;
        wishedAt = message.instant("at");
      }
      if (const auto playing = message.number<int>("playing"); playing && startStop)
        setPlaying(*playing != 0, message.instant("at"));
    }
  }

  void handleState(const Message &message) {
    const auto signature = message.text("signature").value_or("");
    const auto slash = std::min(signature.find('/'), signature.size());
    const auto numerator = Message::parse<int>(signature.substr(0, slash));
    const auto denominator = Message::parse<int>(signature.substr(std::min(slash + 1, signature.size())));
    if (numerator && denominator && *numerator >= 1 && *numerator <= 256 && *denominator >= 1 && *denominator <= 256)
      quantum = *numerator * 4.0 / *denominator;
    boxPlays = message.number<int>("playing").value_or(0) != 0;
    // A ramp has no name.
    boxHasScore = message.number<int>("loaded").value_or(0) != 0;
    // Link counts quarters.
    const auto tempo = message.tempo("quarters");
    if (!tempo) return;
    auto session = link.captureAppSessionState();
    const bool setsTempo = alone() && *tempo != setTempo && *tempo != session.tempo();
    const bool setsPlaying = alone() && startStop && session.isPlaying() != boxPlays;
    // Alone, the session is the box's own: later peers find its tempo and its transport. A session that the last peer has
    // left keeps its tempo until the tempo of the box is set again, because the peer may only be out of reach.
    if (setsTempo) session.setTempo(*tempo, link.clock().micros());
    if (setsPlaying) session.setIsPlaying(boxPlays, link.clock().micros());
    if (setsTempo || setsPlaying) commit(session);
    setTempo = *tempo;
    // Only now, so that Link founds its session with the tempo of the box.
    if (!link.isEnabled() && !opensAnew) link.enable(true);
  }

  /// Alone, moves the bar lines of the session to those of the box, so that a peer that joins moves no beat.
  void alignSession(const Message &message) {
    if (!alone() || !boxPlays || boxHasScore) return;
    const auto at = message.number<int64_t>("at");
    const auto length = message.number<double>("quarter-us");
    auto session = link.captureAppSessionState();
    // During a ramp the bar lines of the two would part again at once.
    if (!at || !length || std::abs(*length * session.tempo() / 60e6 - 1) > 0.01) return;
    auto offset = message.number<int>("place") == 0 ? std::optional<int64_t>(0) : std::nullopt;
    auto next = message.text("next").value_or(""), places = message.text("places").value_or("");
    while (!offset && !next.empty() && !places.empty()) {
      const size_t nextEnd = std::min(next.find(','), next.size()), placesEnd = std::min(places.find(','), places.size());
      if (places.substr(0, placesEnd) == "0") offset = Message::parse<int64_t>(next.substr(0, nextEnd));
      next.remove_prefix(std::min(nextEnd + 1, next.size()));
      places.remove_prefix(std::min(placesEnd + 1, places.size()));
    }
    const int64_t now = nanoseconds(CLOCK_MONOTONIC), far = 60'000'000'000;
    if (!offset || *offset < -far || *offset > far || *at < now - far || *at > now + far) return;
    const Micros barLine = hostTime(*at + *offset);
    const double phase = session.phaseAtTime(barLine, quantum);
    if (std::min(phase, quantum - phase) * *length < 500) return;
    const double bars = std::round(session.beatAtTime(barLine, quantum) / quantum);
    session.requestBeatAtTime(bars * quantum, barLine, quantum);
    commit(session);
  }

  void applyWishedTempo() {
    auto session = link.captureAppSessionState();
    // At an instant in the past the session's beats would jump.
    session.setTempo(*wishedTempo, std::max(wishedAt, link.clock().micros()));
    wishedTempo.reset();
    commit(session);
  }

  /// The first bar line at or after an instant, or up to 3 ms before it: peers round.
  Micros barLine(const SessionState &session, Micros at) const {
    const double beat = session.beatAtTime(at - 3ms, quantum);
    return session.timeAtBeat(std::ceil(beat / quantum) * quantum, quantum);
  }

  void setPlaying(bool playing, Micros at) {
    auto session = link.captureAppSessionState();
    at = std::max(at, link.clock().micros());
    session.setIsPlaying(playing, playing && !alone() ? barLine(session, at) : at);
    commit(session);
  }

  void commit(const SessionState &session) {
    link.commitAppSessionState(session);
    changed = true;
  }

  /// Observes the session, and sends the observation. The position is continuous while the session does not jump.
  void sendSource(bool leaving = false) {
    const auto session = link.captureAppSessionState();
    const Micros now = link.clock().micros();
    const double newRate = 1 / std::round(60e6 / session.tempo());
    const double phase = session.phaseAtTime(now, quantum);
    // The tempo may have changed at any time since the last observation, so the position is expected in a range.
    const double elapsed = double((now - observedAt).count()), before = quarter.value_or(phase);
    const double first = before + elapsed * std::min(rate, newRate), last = before + elapsed * std::max(rate, newRate);
    const double expected = quarter ? (first + last) / 2 : phase;
    const double position = phase + quantum * std::round((expected - phase) / quantum);
    // A new tempo of a peer arrives late, and is then older than the last observation.
    const double tolerance = 0.125 + 250e3 * std::abs(newRate - rate);
    if (quarter && (position < first - tolerance || position > last + tolerance)) epoch++;
    quarter = position;
    rate = newRate;
    observedAt = now;
    changed = false;

    // Rounded up to the last decimal: 60060.060060 would be above 999 BPM.
    const double length = std::min(std::ceil(60e12 / session.tempo()) / 1e6, 60e6 / minTempo);
    char text[512];
    int size = std::snprintf(text, sizeof text, "source epoch=%lld quarter=%lld at-raw=%lld us-per-quarter=%.6f", (long long)epoch,
        std::llround(position * 1e6), now.count() * 1000LL, length);
    size += std::snprintf(text + size, sizeof text - size_t(size), " playing=%d transport=%d peers=%zu",
        !startStop || session.isPlaying(), startStop, leaving ? size_t(0) : link.numPeers());
    if (startStop) {
      // A peer may send any time. The box refuses a message with a start that is further away than 60 s.
      const auto isNear = [now](Micros at) { return at > now - 60s && at < now + 60s; };
      Micros start = session.timeForIsPlaying();
      if (session.isPlaying() && isNear(start)) start = barLine(session, start);
      if (isNear(start)) size += std::snprintf(text + size, sizeof text - size_t(size), " play-at-raw=%lld", start.count() * 1000LL);
    }
    box.send(std::string_view(text, size_t(size)));
  }
};

constexpr const char *usage = R"(Usage: metronome-link [--socket PATH] [--start-stop]

Connects a running metronome with an Ableton Link session.

  --socket PATH  control socket of the metronome (default: $METRONOME_CONTROL, or /run/metronome/control)
  --start-stop   start and stop are shared, too (or METRONOME_LINK_START_STOP=yes)
  --version      print the version
  -h, --help     print this text
)";

}  // namespace

int main(int count, char **arguments) {
  const char *environment = std::getenv("METRONOME_CONTROL"), *shared = std::getenv("METRONOME_LINK_START_STOP");
  std::string path = environment && *environment ? environment : "/run/metronome/control";
  bool startStop = shared && std::string_view(shared) == "yes";
  for (int i = 1; i < count; i++) {
    const std::string_view argument = arguments[i];
    if (argument == "--socket" && i + 1 < count) {
      path = arguments[++i];
    } else if (argument == "--start-stop") {
      startStop = true;
    } else if (argument == "--version") {
      return std::puts("metronome-link " METRONOME_LINK_VERSION) < 0;
    } else if (argument == "-h" || argument == "--help") {
      return std::fputs(usage, stdout) < 0;
    } else {
      log("unknown or incomplete option %s\n\n%s", arguments[i], usage);
      return 64;
    }
  }
  if (path.size() >= sizeof(sockaddr_un{}.sun_path)) {
    log("the path of the socket has %zu bytes; at most %zu are possible", path.size(), sizeof(sockaddr_un{}.sun_path) - 1);
    return 64;
  }
  // Blocked before Link starts its thread, which inherits the mask: signals arrive only at the descriptor.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  Companion(path, startStop).run(signalfd(-1, &ends, SFD_CLOEXEC));
}
