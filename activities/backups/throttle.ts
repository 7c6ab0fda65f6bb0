/** The least time between two reports of progress, each of which is a write to the store. */
const intervalMs = 1_000;

/** Returns a function that calls `report` at most once per interval. */
export function createThrottle(report: () => Promise<void>): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < intervalMs) return;
    last = performance.now();
    await report();
  };
}
