// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright the metronome maintainers
//
// Finds out that the Link library no longer listens, although the network talks to it.

#pragma once

#include <dirent.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>

/// Watches the queues of all UDP sockets of this process. A socket is deaf if the same datagram stays at the head of its queue: then
/// nobody reads it. A socket to which nothing is sent is not deaf, nor is one to which a flood is sent faster than it is read. Each
/// datagram has the time of its arrival, in nanoseconds, which tells it from others.
class UnreadSockets {
public:
  /// To be called once a second: whether a datagram was at the head of its queue at this call and at the ten before.
  bool found() {
    std::map<int, Head> seen;
    bool deaf = false;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return false;
    while (const dirent *entry = readdir(folder)) {
      const int fd = std::atoi(entry->d_name);
      Head head;
      if (!isUDP(fd) || !peek(fd, head.arrival)) continue;
      const auto before = heads.find(fd);
      if (before != heads.end() && same(before->second.arrival, head.arrival)) head.calls = before->second.calls + 1;
      deaf = deaf || head.calls > 10;
      seen[fd] = head;
    }
    closedir(folder);
    heads.swap(seen);
    return deaf;
  }

private:
  struct Head {
    timespec arrival{};
    int calls = 1;
  };
  std::map<int, Head> heads;

  static bool same(const timespec &one, const timespec &other) { return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec; }

  static bool isUDP(int fd) {
    int domain = 0, type = 0;
    socklen_t size = sizeof domain;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || (domain != AF_INET && domain != AF_INET6)) return false;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM;
  }

  /// When the datagram at the head of the queue arrived. It stays there.
  static bool peek(int fd, timespec &arrival) {
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    alignas(cmsghdr) char control[256];
    msghdr message{};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT) < 0) return false;
    for (cmsghdr *each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
      if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SO_TIMESTAMPNS) continue;
      std::memcpy(&arrival, CMSG_DATA(each), sizeof arrival);
      return true;
    }
    return false;
  }
};
