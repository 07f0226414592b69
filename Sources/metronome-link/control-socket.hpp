// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright the metronome maintainers
//
// The connection to the metronome, by its control socket (Documentation/ControlSocket.md): clocks, messages, and the socket.

#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

using Micros = std::chrono::microseconds;

/// The tempi of Link and of the box, in BPM.
constexpr double minTempo = 20, maxTempo = 999;

/// A line for the journal, on standard error.
template <typename... Values> inline void log(const char *format, Values... values) {
  std::fprintf(stderr, "metronome-link: ");
  std::fprintf(stderr, format, values...);
  std::fputc('\n', stderr);
}

inline int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// An instant of CLOCK_MONOTONIC near now, on Link's clock. The two clocks are read in a pair, the closest of five.
inline Micros hostTime(int64_t monotonic) {
  int64_t closest = INT64_MAX, difference = 0;
  for (int i = 0; i < 5; i++) {
    const int64_t before = nanoseconds(CLOCK_MONOTONIC), raw = nanoseconds(CLOCK_MONOTONIC_RAW);
    const int64_t span = nanoseconds(CLOCK_MONOTONIC) - before;
    if (span < closest) closest = span, difference = raw - before - span / 2;
  }
  return Micros{(monotonic + difference) / 1000};
}

/// Sends a datagram to the service manager, if there is one, in the format of sd_notify(3).
inline void notifyManager(const std::string &text) {
  const char *path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!path || !*path || std::strlen(path) >= sizeof address.sun_path) return;
  std::strcpy(address.sun_path, path);
  if (*path == '@') address.sun_path[0] = '\0';
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;
  const auto size = offsetof(sockaddr_un, sun_path) + std::strlen(path);
  sendto(fd, text.data(), text.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr *>(&address), socklen_t(size));
  close(fd);
}

/// A message from the box: a word, and fields `key=value`. The views point into the received text. Fields behind a
/// malformed one, and more than 64, are ignored.
class Message {
public:
  explicit Message(std::string_view text) {
    size_t end = text.find(' ');
    word = text.substr(0, end);
    while (end != text.npos && count < fields.size()) {
      const size_t key = end + 1, equals = text.find('=', key), value = equals + 1;
      if (equals == text.npos) break;
      if (value < text.size() && text[value] == '"') {
        size_t close = value + 1;
        while (close < text.size() && text[close] != '"') close += text[close] == '\\' ? 2 : 1;
        if (close >= text.size()) break;
        fields[count++] = {text.substr(key, equals - key), text.substr(value + 1, close - value - 1)};
        end = text.find(' ', close);
      } else {
        end = text.find(' ', value);
        fields[count++] = {text.substr(key, equals - key), text.substr(value, end - value)};
      }
    }
  }

  std::string_view word;

  std::optional<std::string_view> text(std::string_view key) const {
    for (size_t i = 0; i < count; i++)
      if (fields[i].first == key) return fields[i].second;
    return {};
  }

  template <typename Number> std::optional<Number> number(std::string_view key) const {
    const auto value = text(key);
    return value ? parse<Number>(*value) : std::nullopt;
  }

  /// The whole text as a number, or nothing.
  template <typename Number> static std::optional<Number> parse(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    if constexpr (std::is_floating_point_v<Number>)
      if (!std::isfinite(number)) return {};
    return number;
  }

  std::optional<double> tempo(std::string_view key) const {
    const auto tempo = number<double>(key);
    return tempo && *tempo >= minTempo && *tempo <= maxTempo ? tempo : std::nullopt;
  }

  /// The instant in a field, if it is within two seconds of now; otherwise now.
  Micros instant(std::string_view key) const {
    const int64_t now = nanoseconds(CLOCK_MONOTONIC), at = number<int64_t>(key).value_or(now);
    return hostTime(at >= now - 2'000'000'000 && at <= now + 2'000'000'000 ? at : now);
  }

private:
  std::array<std::pair<std::string_view, std::string_view>, 64> fields;
  size_t count = 0;
};

/// The connection to the box. It never blocks.
class ControlSocket {
public:
  explicit ControlSocket(std::string path) : path(std::move(path)) {}

  int fd = -1;

  void open() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof address.sun_path - 1));
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0) {
      lose(std::strerror(errno));
    } else {
      send("hello v=1");
    }
  }

  /// Closes the connection. The reason is logged once, until a connection succeeds.
  void lose(const std::string &why) {
    if (fd >= 0) close(fd);
    fd = -1;
    if (why != reason) log("no metronome at %s: %s; tries again each second", path.c_str(), why.c_str());
    reason = why;
  }

  void greeted() { reason.clear(); }

  /// Sends a message, or drops it if the box does not read: a later observation replaces it.
  void send(std::string_view text) {
    if (fd < 0 || ::send(fd, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return;
    if (errno != EAGAIN && errno != EINTR) lose(std::strerror(errno));
  }

  /// The next message, or nothing. A message longer than the protocol allows is empty.
  std::optional<std::string_view> receive() {
    while (fd >= 0) {
      const ssize_t size = recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT | MSG_TRUNC);
      if (size > 0) return std::string_view(buffer.data(), size_t(size) <= buffer.size() ? size_t(size) : 0);
      if (size == 0) lose("it closed the connection");
      if (size < 0 && errno == EAGAIN) break;
      if (size < 0 && errno != EINTR) lose(std::strerror(errno));
    }
    return {};
  }

private:
  std::string path, reason;
  std::array<char, 4096> buffer;
};
