import type { Mutant } from './list-mutants.ts';

/** Draws mutants with a seed, at most `perFile` of one file. */
export function chooseMutants(
  all: readonly Mutant[],
  options: { seed: number; count: number; perFile: number },
): Mutant[] {
  const random = createRandom(options.seed);
  const drawn = all
    .map((mutant) => ({ mutant, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ mutant }) => mutant);
  const counts = new Map<string, number>();
  const chosen = drawn.filter(({ file }) => {
    const count = (counts.get(file) ?? 0) + 1;
    counts.set(file, count);
    return count <= options.perFile;
  });
  // Neighbours share test files, which then stay loaded.
  return chosen
    .slice(0, options.count)
    .toSorted((one, other) => one.file.localeCompare(other.file) || one.start - other.start);
}

/** The generator "mulberry32": small, and the same on every machine. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
