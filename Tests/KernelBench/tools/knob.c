// Sets a control of a sound card: knob CARD INTERFACE NAME DEVICE SUBDEVICE VALUE
//
//   knob Loopback PCM 'PCM Rate Shift 100000' 1 0 99980
//
// Prints the previous value.

#include <alsa/asoundlib.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "knob: %s: %s\n", what, snd_strerror(result));
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 7) {
    fputs("usage: knob CARD INTERFACE NAME DEVICE SUBDEVICE VALUE\n", stderr);
    return 64;
  }
  char card[64];
  snprintf(card, sizeof card, "hw:%s", argv[1]);
  snd_ctl_t *control;
  check(snd_ctl_open(&control, card, 0), card);
  snd_ctl_elem_value_t *element;
  snd_ctl_elem_value_alloca(&element);
  int interface = 0;
  while (interface <= SND_CTL_ELEM_IFACE_LAST && strcmp(snd_ctl_elem_iface_name(interface), argv[2]) != 0) interface++;
  if (interface > SND_CTL_ELEM_IFACE_LAST) check(-EINVAL, argv[2]);
  snd_ctl_elem_value_set_interface(element, interface);
  snd_ctl_elem_value_set_name(element, argv[3]);
  snd_ctl_elem_value_set_device(element, (unsigned)atoi(argv[4]));
  snd_ctl_elem_value_set_subdevice(element, (unsigned)atoi(argv[5]));
  check(snd_ctl_elem_read(control, element), argv[3]);
  printf("%ld\n", snd_ctl_elem_value_get_integer(element, 0));
  snd_ctl_elem_value_set_integer(element, 0, atol(argv[6]));
  check(snd_ctl_elem_write(control, element), argv[3]);
  return snd_ctl_close(control) == 0 ? 0 : 1;
}
