// Transfers on an I2C bus through the kernel's SMBus interface, which works with the controllers of all Raspberry Pis.
#include <errno.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <string.h>
#include <sys/ioctl.h>

#include "CLinux.h"

int clinux_i2c_select(int descriptor, uint16_t address) {
  return ioctl(descriptor, I2C_SLAVE, (unsigned long)address) < 0 ? -errno : 0;
}

int clinux_i2c_write(int descriptor, uint8_t first, const uint8_t *bytes, uint8_t count) {
  union i2c_smbus_data data;
  if (count == 0 || count > I2C_SMBUS_BLOCK_MAX) return -EINVAL;
  data.block[0] = count;
  memcpy(data.block + 1, bytes, count);
  struct i2c_smbus_ioctl_data transfer = {
      .read_write = I2C_SMBUS_WRITE, .command = first, .size = I2C_SMBUS_I2C_BLOCK_DATA, .data = &data};
  return ioctl(descriptor, I2C_SMBUS, &transfer) < 0 ? -errno : 0;
}
