// Keeps the screen on while the box plays. Browsers allow this only to pages from https and from the computer itself.

const PERIOD = 1000;

/** Holds the screen on while `isNeeded` returns true. */
export function keepAwake(isNeeded) {
  if (!navigator.wakeLock) return;
  let lock = null;
  setInterval(async () => {
    const isWanted = isNeeded() && !document.hidden;
    if (!isWanted && lock) {
      lock.release();
      lock = null;
    } else if (isWanted && (!lock || lock.released)) {
      try {
        lock = await navigator.wakeLock.request("screen");
      } catch {
        // The battery is low, for example.
      }
    }
  }, PERIOD);
}
