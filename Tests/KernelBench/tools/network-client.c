// Runs a companion with a network, and uses or attacks it.
//
//   network-client keep PORT FILE COMMAND...     runs COMMAND, as its unit does: with a socket that listens at PORT (0: none), at most
//                                                256 open files, and again one second after its end. FILE gets its process id
//   network-client page PORT SECONDS             is a good page: loads the page every second, and follows the box through a WebSocket.
//                                                Prints the numbers of loaded pages, received messages, opened WebSockets and failures
//   network-client look PORT SECONDS             prints `answered` as soon as the page is served and its WebSocket shows the box, or
//                                                after this time what is missing
//   network-client assault PORT COUNT SECONDS    keeps COUNT connections open, each from an address of its own: silent ones, half
//                                                requests, endless headers and garbage. Prints how many were opened
//   network-client datagrams COUNT PAUSE         sends COUNT datagrams to Ableton Link's group and to all UDP ports, in groups of 100, one
//                                                per PAUSE µs on average: garbage, half of it behind a header of Link. Prints how many
//                                                were sent

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint32_t seed = 1;

static void die(const char *what) {
  fprintf(stderr, "network-client: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint32_t draw(void) {
  seed = seed * 1664525 + 1013904223;
  return seed >> 8;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void rest(int microseconds) {
  struct timespec wait = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000L};
  nanosleep(&wait, NULL);
}

static struct sockaddr_in local_address(uint32_t number, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + number);
  return address;
}

// --- A companion ------------------------------------------------------------------------------------------------------

static void keep(int port, const char *file, char **command) {
  int listener = -1;
  if (port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 128)) die("listen");
  }
  for (;; sleep(1)) {
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) {
      char own[16];
      struct rlimit files = {256, 256};
      snprintf(own, sizeof own, "%d", getpid());
      setrlimit(RLIMIT_NOFILE, &files);
      // As systemd passes it. `dup2` on the same descriptor would leave FD_CLOEXEC set.
      if (port && (listener == 3 ? fcntl(3, F_SETFD, 0) : dup2(listener, 3)) < 0) die("descriptor 3");
      if (port && (setenv("LISTEN_PID", own, 1) || setenv("LISTEN_FDS", "1", 1))) die("environment");
      execvp(command[0], command);
      die(command[0]);
    }
    FILE *written = fopen(file, "w");
    if (!written || fprintf(written, "%d\n", child) < 0 || fclose(written)) die(file);
    waitpid(child, NULL, 0);
  }
}

// --- A good page ------------------------------------------------------------------------------------------------------

struct page {
  int descriptor;
  size_t size;
  unsigned char data[65536];
};

static void end_page(struct page *page) {
  if (page->descriptor >= 0) close(page->descriptor);
  page->descriptor = -1;
}

// Sends a request, and reads the first part of the answer. Returns its status, or 0 if there is none within a second.
static int ask(struct page *page, int port, const char *request) {
  struct sockaddr_in address = local_address(0, port);
  struct timeval second = {.tv_sec = 1};
  page->size = 0;
  page->descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (page->descriptor < 0) die("socket");
  setsockopt(page->descriptor, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  setsockopt(page->descriptor, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
  if (connect(page->descriptor, (struct sockaddr *)&address, sizeof address)) return 0;
  if (send(page->descriptor, request, strlen(request), MSG_NOSIGNAL) < 0) return 0;
  for (;;) {
    ssize_t count = recv(page->descriptor, page->data + page->size, sizeof page->data - 1 - page->size, 0);
    if (count <= 0) return 0;
    page->size += (size_t)count;
    page->data[page->size] = 0;
    char *end = strstr((char *)page->data, "\r\n\r\n");
    if (!end) continue;
    int status = 0;
    sscanf((char *)page->data, "HTTP/1.1 %d", &status);
    page->size -= (size_t)(end + 4 - (char *)page->data);
    memmove(page->data, end + 4, page->size);
    return status;
  }
}

// Loads a file of the page to its end. Returns whether it is complete.
static int load(int port) {
  static struct page page;
  int is_complete = ask(&page, port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == 200;
  while (is_complete && !memmem(page.data, page.size, "</body>", 7)) {
    ssize_t count = recv(page.descriptor, page.data + page.size, sizeof page.data - page.size, 0);
    if (count <= 0) is_complete = 0;
    else page.size += (size_t)count;
  }
  end_page(&page);
  return is_complete;
}

// Sends a text in a frame of a WebSocket. Its mask is zero.
static void send_frame(struct page *page, const char *text) {
  unsigned char frame[131] = {0x81, (unsigned char)(0x80 | strlen(text))};
  memcpy(frame + 6, text, strlen(text));
  if (send(page->descriptor, frame, 6 + strlen(text), MSG_NOSIGNAL) < 0) end_page(page);
}

static void open_socket(struct page *page, int port) {
  int status = ask(page, port,
                   "GET /socket HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                   "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n");
  if (status != 101) return end_page(page);
  struct timeval tenth = {.tv_usec = 100000};
  setsockopt(page->descriptor, SOL_SOCKET, SO_RCVTIMEO, &tenth, sizeof tenth);
  send_frame(page, "subscribe to=state,timeline id=1");
}

// The next text, which ends with a zero; NULL: none within a tenth of a second, or the connection has ended.
static const char *next_text(struct page *page, char *text) {
  while (page->descriptor >= 0) {
    size_t length = page->size >= 2 ? page->data[1] : 0, head = 2;
    if (length == 126) length = (size_t)page->data[2] << 8 | page->data[3], head = 4;
    if (page->size >= 4 && page->size >= head + length) {
      int is_text = page->data[0] == 0x81;
      memcpy(text, page->data + head, length);
      text[length] = 0;
      page->size -= head + length;
      memmove(page->data, page->data + head + length, page->size);
      if (is_text) return text;
      continue;
    }
    ssize_t count = recv(page->descriptor, page->data + page->size, sizeof page->data - page->size, 0);
    if (count > 0) page->size += (size_t)count;
    else if (count == 0 || errno != EAGAIN) end_page(page);
    else return NULL;
  }
  return NULL;
}

static void be_page(int port, int seconds) {
  static struct page page = {.descriptor = -1};
  static char text[65536];
  long pages = 0, messages = 0, sockets = 0, failures = 0;
  for (double end = now() + seconds, due = now(); now() < end;) {
    if (now() >= due) {
      due = now() + 1;
      if (load(port)) pages++;
      else failures++;
      if (page.descriptor < 0) {
        open_socket(&page, port);
        if (page.descriptor < 0) failures++;
        else sockets++;
      } else {
        // A page from which nothing arrives is disconnected.
        send_frame(&page, "ping t=1");
      }
    }
    if (page.descriptor < 0) rest(100000);
    else if (next_text(&page, text)) messages++;
  }
  printf("%ld %ld %ld %ld\n", pages, messages, sockets, failures);
}

static void look(int port, int seconds) {
  static struct page page;
  static char text[65536];
  const char *missing = "no page";
  for (double end = now() + seconds; now() < end; rest(200000)) {
    missing = "no page";
    if (!load(port)) continue;
    missing = "no box";
    open_socket(&page, port);
    for (const char *found; (found = next_text(&page, text));) {
      if (strncmp(found, "state ", 6)) continue;
      missing = "answered";
      break;
    }
    end_page(&page);
    if (!strcmp(missing, "answered")) break;
  }
  puts(missing);
}

// --- Attackers --------------------------------------------------------------------------------------------------------

static void fill(char *bytes, size_t count) {
  for (size_t at = 0; at < count; at++) bytes[at] = (char)draw();
}

static int open_attacker(int number, int port) {
  struct sockaddr_in own = local_address(256 + (uint32_t)number, 0), other = local_address(0, port);
  // Ends with a reset, so that the kernel keeps nothing of the connection.
  struct linger reset = {1, 0};
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (descriptor < 0) die("socket");
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  if (bind(descriptor, (struct sockaddr *)&own, sizeof own)) die("bind");
  if (connect(descriptor, (struct sockaddr *)&other, sizeof other) == 0 || errno == EINPROGRESS) return descriptor;
  close(descriptor);
  return -1;
}

// Returns whether the connection is still open.
static int attack(int descriptor, int kind, int is_new) {
  char bytes[400];
  const char *text = "";
  size_t count = 0;
  if (kind == 1 && is_new) text = "GET / HTTP/1.1\r\nHost: local";
  if (kind == 2) text = is_new ? "GET / HTTP/1.1\r\nHost: localhost\r\n" : "X-Filler: 0123456789abcdef0123456789abcdef\r\n";
  if (kind == 3) fill(bytes, count = sizeof bytes);
  if (*text) memcpy(bytes, text, count = strlen(text));
  if (count && send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN) return 0;
  ssize_t received = recv(descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
  return received > 0 || (received < 0 && (errno == EAGAIN || errno == ENOTCONN));
}

static void assault(int port, int count, int seconds) {
  int *descriptors = malloc((size_t)count * sizeof *descriptors);
  long opened = 0;
  if (!descriptors) die("memory");
  for (int number = 0; number < count; number++) descriptors[number] = -1;
  for (double end = now() + seconds; now() < end; rest(250000)) {
    for (int number = 0; number < count; number++) {
      int is_new = descriptors[number] < 0;
      if (is_new) descriptors[number] = open_attacker(number, port);
      if (descriptors[number] < 0) continue;
      opened += is_new;
      if (attack(descriptors[number], number % 4, is_new)) continue;
      close(descriptors[number]);
      descriptors[number] = -1;
    }
  }
  printf("%ld\n", opened);
}

// The ports at which other programs receive datagrams.
static int udp_ports(int *ports, int most) {
  char line[512];
  unsigned port;
  int count = 0;
  FILE *list = fopen("/proc/net/udp", "r");
  if (!list) die("/proc/net/udp");
  while (fgets(line, sizeof line, list) && count < most)
    if (sscanf(line, " %*d: %*x:%x", &port) == 1) ports[count++] = (int)port;
  fclose(list);
  return count;
}

static void datagrams(int count, int pause) {
  static const char *const heads[] = {"_asdp_v\1", "_link_v\1"};
  char bytes[1400];
  int ports[32], known = udp_ports(ports, 32), sender = socket(AF_INET, SOCK_DGRAM, 0), sent = 0;
  struct in_addr loopback = {htonl(INADDR_LOOPBACK)};
  struct sockaddr_in group = local_address(0, 20808);
  inet_pton(AF_INET, "224.76.78.75", &group.sin_addr);
  if (sender < 0 || setsockopt(sender, IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof loopback)) die("datagrams");
  for (int number = 0; number < count; number++) {
    size_t length = draw() % sizeof bytes;
    fill(bytes, length);
    if (number % 2 && length > 12) {
      memcpy(bytes, heads[draw() % 2], 8);
      // The kind of message, its time to live, and the group.
      bytes[8] = (char)(draw() % 5);
      bytes[9] = 5;
      bytes[10] = bytes[11] = 0;
    }
    uint32_t choice = draw() % 4;
    struct sockaddr_in other = choice && known ? local_address(0, ports[draw() % (uint32_t)known]) : group;
    if (sendto(sender, bytes, length, MSG_DONTWAIT, (struct sockaddr *)&other, sizeof other) == (ssize_t)length) sent++;
    if (number % 100 == 99) rest(pause * 100);
  }
  printf("%d\n", sent);
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (count > 4 && !strcmp(what, "keep")) keep(atoi(words[2]), words[3], words + 4);
  else if (count == 4 && !strcmp(what, "page")) be_page(atoi(words[2]), atoi(words[3]));
  else if (count == 4 && !strcmp(what, "look")) look(atoi(words[2]), atoi(words[3]));
  else if (count == 5 && !strcmp(what, "assault")) assault(atoi(words[2]), atoi(words[3]), atoi(words[4]));
  else if (count == 4 && !strcmp(what, "datagrams")) datagrams(atoi(words[2]), atoi(words[3]));
  else {
    fprintf(stderr, "usage: network-client keep PORT FILE COMMAND... | page PORT SECONDS | look PORT SECONDS | "
                    "assault PORT COUNT SECONDS | datagrams COUNT PAUSE\n");
    return 64;
  }
  return 0;
}
