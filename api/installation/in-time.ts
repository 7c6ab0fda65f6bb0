/** Returns the result of a check, or `late` if it takes longer than the timeout. */
export async function inTime<T>(check: Promise<T>, { timeoutMs, late }: { timeoutMs: number; late: T }): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(late), timeoutMs);
  try {
    return await Promise.race([check, promise]);
  } finally {
    clearTimeout(timer);
  }
}
