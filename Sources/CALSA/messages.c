#include "CALSA.h"

// In C because the handler is variadic, which Swift does not support.
static void ignore_message(const char *file, int line, const char *function, int error, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}

void calsa_silence_messages(void) { snd_lib_error_set_handler(ignore_message); }
