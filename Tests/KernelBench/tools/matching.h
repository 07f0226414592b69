// Recognizes known sounds in a stream, also if they overlap or begin at the same instant.
//
// The known sounds are the shapes in the file that `metronome render --voice-only` writes. Where the rest of the stream gets
// loud, combinations of all shapes are fitted to it by least squares, with the place as a further unknown. What was recognized
// is subtracted, and the search continues in the rest. So a second sound is heard while the first one still rings.
//
// Prints a line for each recognized sound, and for each place where the stream is loud without a known sound:
//
//   sound START KIND GAIN
//   noise FRAME PEAK
//
// START: the frame at which the sound starts, to a thousandth. GAIN: its level, relative to the file.

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  match_rate = 48000,
  // The places of the sounds in the file, one per second. Ghosts are softer weak sounds; a medium cowbell is a weak one.
  kinds = 5,
  shape_frames = 1800,
  // Frames of an interpolation before and after the shape.
  margin = 32,
  phases = 32,
  ring = 16384,
  most_active = 64,
  // A sound is searched for where the rest reaches this, of 32,768: a sixth of a ghost at the default volume.
  loud_rest = 400,
};

static const char *const kind_names[kinds] = {"strong", "medium", "weak", "cowbell-strong", "cowbell-weak"};
static const int kind_seconds[kinds] = {0, 1, 2, 4, 6};

struct match {
  int kind;
  double start, gain;
};

static float shapes[kinds][phases + 1][shape_frames + 2 * margin];
static double rest[ring];
static int64_t rest_frames;   // frames in the ring so far
static int64_t searched;      // no frame before this one needs to be searched
static struct match active[most_active];
static int active_count;

// A sinc of 64 taps with a Kaiser window.
static double interpolation(double x) {
  const double half = margin, beta = 11;
  if (fabs(x) >= half) return 0;
  double window = 0, full = 0, term = 1, whole = 1;
  double argument = beta * sqrt(1 - (x / half) * (x / half));
  for (int k = 0; k < 40; k++) {
    window += term;
    full += whole;
    term *= (argument / 2 / (k + 1)) * (argument / 2 / (k + 1));
    whole *= (beta / 2 / (k + 1)) * (beta / 2 / (k + 1));
  }
  double sinc = fabs(x) < 1e-9 ? 1 : sin(M_PI * x) / (M_PI * x);
  return sinc * window / full;
}

// The sample of a sound at a frame, if it starts at `start`.
static double shape_at(int kind, int64_t frame, double start) {
  double whole = floor(start), phase = (start - whole) * phases;
  int64_t index = frame - (int64_t)whole + margin;
  if (index < 0 || index >= shape_frames + 2 * margin) return 0;
  int lower = (int)phase;
  double part = phase - lower;
  if (lower == phases) return shapes[kind][phases][index];
  return shapes[kind][lower][index] * (1 - part) + shapes[kind][lower + 1][index] * part;
}

static void read_shapes(const char *name) {
  enum { header = 44, seconds = 8 };
  static int16_t samples[seconds * match_rate];
  FILE *file = fopen(name, "rb");
  size_t count = 0;
  if (file && fseek(file, header, SEEK_SET) == 0) count = fread(samples, sizeof *samples, seconds * match_rate, file);
  if (count < (seconds - 1) * match_rate + shape_frames) {
    fprintf(stderr, "ear: %s has no sounds\n", name);
    exit(1);
  }
  fclose(file);
  for (int kind = 0; kind < kinds; kind++) {
    for (int phase = 0; phase <= phases; phase++) {
      double weights[2 * margin + 1];
      for (int tap = -margin; tap <= margin; tap++) weights[tap + margin] = interpolation(tap - (double)phase / phases);
      for (int index = 0; index < shape_frames + 2 * margin; index++) {
        double sum = 0;
        const int16_t *sound = samples + kind_seconds[kind] * match_rate;
        for (int tap = -margin; tap <= margin; tap++) {
          int source = index - margin - tap;
          if (source >= 0 && source < shape_frames) sum += sound[source] * weights[tap + margin];
        }
        shapes[kind][phase][index] = (float)sum;
      }
    }
  }
}

// Solves a small symmetric system; the solution replaces the right side.
static void solve(int n, double a[][2 * kinds], double *b) {
  for (int pivot = 0; pivot < n; pivot++) {
    for (int row = pivot + 1; row < n; row++) {
      double factor = a[row][pivot] / a[pivot][pivot];
      for (int column = pivot; column < n; column++) a[row][column] -= factor * a[pivot][column];
      b[row] -= factor * b[pivot];
    }
  }
  for (int row = n - 1; row >= 0; row--) {
    for (int column = row + 1; column < n; column++) b[row] -= a[row][column] * b[column];
    b[row] /= a[row][row];
  }
}

static double columns[2 * kinds][ring / 16];

// Fits the first `n` columns to the rest from a frame on. Returns the part of the energy that is left.
static double fit(int n, int64_t from, int frames, double *gains) {
  double a[2 * kinds][2 * kinds], energy = 0, left = 0;
  for (int row = 0; row < n; row++) {
    gains[row] = 0;
    for (int i = 0; i < frames; i++) gains[row] += columns[row][i] * rest[(from + i) % ring];
    for (int column = 0; column <= row; column++) {
      double sum = 0;
      for (int i = 0; i < frames; i++) sum += columns[row][i] * columns[column][i];
      a[row][column] = a[column][row] = sum + (row == column ? 1e3 : 0);
    }
  }
  solve(n, a, gains);
  for (int i = 0; i < frames; i++) {
    double value = rest[(from + i) % ring];
    energy += value * value;
    for (int row = 0; row < n; row++) value -= gains[row] * columns[row][i];
    left += value * value;
  }
  return energy > 0 ? left / energy : 0;
}

static double fit_all(double start, int64_t from, int frames, double *gains) {
  for (int kind = 0; kind < kinds; kind++)
    for (int i = 0; i < frames; i++) columns[kind][i] = shape_at(kind, from + i, start);
  return fit(kinds, from, frames, gains);
}

// Fits all kinds with one common start, then those that are present with a start of their own. Returns the part of the energy
// that is left, and the count of sounds.
static double recognize(int64_t onset, int window, struct match *found, int *count) {
  int64_t from = onset - margin;
  int frames = margin + window;
  double gains[2 * kinds], best = 1e9, start = 0;
  for (int64_t place = onset - margin; place <= onset + 3; place++) {
    double left = fit_all((double)place, from, frames, gains);
    if (left < best) best = left, start = (double)place;
  }
  for (double step = 0.5; step > 0.01; step /= 2) {
    double before = fit_all(start - step, from, frames, gains), after = fit_all(start + step, from, frames, gains);
    if (before < best && before <= after) best = before, start -= step;
    else if (after < best) best = after, start += step;
  }
  fit_all(start, from, frames, gains);
  *count = 0;
  for (int kind = 0; kind < kinds; kind++)
    if (gains[kind] > 0.05) found[(*count)++] = (struct match){.kind = kind, .start = start, .gain = gains[kind]};
  for (int round = 0; round < 6 && *count > 0; round++) {
    const double step = 0.05;
    for (int each = 0; each < *count; each++) {
      struct match match = found[each];
      for (int i = 0; i < frames; i++) {
        columns[each][i] = shape_at(match.kind, from + i, match.start);
        double later = shape_at(match.kind, from + i, match.start + step);
        double earlier = shape_at(match.kind, from + i, match.start - step);
        columns[*count + each][i] = match.gain * (later - earlier) / (2 * step);
      }
    }
    best = fit(2 * *count, from, frames, gains);
    for (int each = 0; each < *count; each++) {
      found[each].gain = gains[each];
      found[each].start += fmax(-0.5, fmin(0.5, gains[*count + each]));
    }
  }
  return best;
}

static void subtract(const struct match *match, int64_t from, int64_t until) {
  for (int64_t frame = from; frame < until; frame++)
    rest[frame % ring] -= match->gain * shape_at(match->kind, frame, match->start);
}

static void search(int64_t onset) {
  // A shorter window if the next sound begins within a longer one.
  static const int windows[] = {240, 144, 96, 72};
  struct match found[kinds], best[kinds];
  int count = 0, best_count = 0;
  double least = 1e9;
  for (int each = 0; each < 4 && least > 1e-3; each++) {
    double left = recognize(onset, windows[each], found, &count);
    if (left >= least) continue;
    least = left;
    best_count = count;
    memcpy(best, found, sizeof best);
  }
  bool is_known = best_count > 0 && least < 0.05;
  for (int each = 0; each < best_count; each++) is_known = is_known && best[each].gain > 0;
  if (!is_known) {
    double peak = 0;
    for (int64_t frame = onset; frame < onset + 240; frame++) peak = fmax(peak, fabs(rest[frame % ring]));
    printf("noise %" PRId64 " %.0f\n", onset, peak);
    searched = onset + 960;
    return;
  }
  for (int each = 0; each < best_count; each++) {
    printf("sound %.3f %s %.4f\n", best[each].start, kind_names[best[each].kind], best[each].gain);
    int64_t from = (int64_t)best[each].start - margin;
    subtract(&best[each], from < 0 ? 0 : from, rest_frames);
    if (active_count == most_active) memmove(active, active + 1, sizeof *active * --active_count);
    active[active_count++] = best[each];
  }
}

// Hears the next frame.
static void match_frame(int sample) {
  double value = sample;
  for (int each = 0; each < active_count; each++)
    value -= active[each].gain * shape_at(active[each].kind, rest_frames, active[each].start);
  rest[rest_frames++ % ring] = value;
  while (active_count > 0 && rest_frames > active[0].start + shape_frames + 2 * margin)
    memmove(active, active + 1, sizeof *active * --active_count);
  enum { wait = 240 + 8 };
  while (searched + wait < rest_frames) {
    if (fabs(rest[searched % ring]) >= loud_rest && searched >= margin) {
      int64_t onset = searched;
      search(onset);
      // The same place must not be searched for ever.
      if (searched == onset && fabs(rest[onset % ring]) >= loud_rest) {
        printf("noise %" PRId64 " %.0f\n", onset, fabs(rest[onset % ring]));
        searched = onset + 960;
      }
    } else {
      searched++;
    }
  }
}
