// Powers the machine off. For roots that have no init and therefore no `halt`.

#include <stdio.h>
#include <sys/reboot.h>
#include <unistd.h>

int main(void) {
  sync();
  reboot(RB_POWER_OFF);
  perror("power-off");
  return 1;
}
