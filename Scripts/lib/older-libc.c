// Functions that the static libraries of Debian 13's Swift need, and that Debian 12's C library does not have. They are linked
// only into the program for Debian 12 on arm64, which is built with Debian 13's Swift.

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The C23 names of the functions that read numbers. C23 also accepts binary numbers, which this program never reads.
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoull(text, end, base); }

int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int result = vsscanf(text, format, arguments);
  va_end(arguments);
  return result;
}

int __isoc23_fscanf(FILE *file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int result = vfscanf(file, format, arguments);
  va_end(arguments);
  return result;
}

// Like OpenBSD's functions: they never exceed the buffer, always terminate it, and return the length of the full result.
size_t strlcpy(char *target, const char *source, size_t room) {
  size_t length = strlen(source);
  if (room > 0) {
    size_t kept = length < room ? length : room - 1;
    memcpy(target, source, kept);
    target[kept] = 0;
  }
  return length;
}

size_t strlcat(char *target, const char *source, size_t room) {
  size_t length = strnlen(target, room);
  if (length == room) return room + strlen(source);
  return length + strlcpy(target + length, source, room - length);
}
