/** True under `npm run test:exhaustive`, where a test runs every variant instead of a seeded sample. */
export const isExhaustive = process.env['TEST_EXHAUSTIVE'] === 'true';

/** The seed of this run. A failing test prints it; TEST_SEED repeats the run. */
export const testSeed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);

/** Returns a function that draws integers in [0, below), the same ones for the same seed (mulberry32). */
export function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Returns all items when exhaustive, else `size` of them drawn by the seed, in their order. */
export function sample<T>(items: readonly T[], size: number, seed = testSeed): T[] {
  if (isExhaustive || items.length <= size) return [...items];
  const draw = createRandom(seed);
  const indices = items.map((_, index) => index);
  for (let at = 0; at < size; at += 1) {
    const other = at + draw(indices.length - at);
    [indices[at], indices[other]] = [indices[other]!, indices[at]!];
  }
  return indices
    .slice(0, size)
    .toSorted((one, other) => one - other)
    .map((index) => items[index]!);
}
