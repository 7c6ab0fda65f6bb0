/** Polls until the view satisfies the predicate. The error at the timeout contains the last view. */
export async function waitUntil<T>(
  read: () => Promise<T>,
  isExpected: (view: T) => boolean,
  timeoutMs = 120_000,
): Promise<T> {
  let last: unknown;
  for (
    const deadline = Date.now() + timeoutMs;
    Date.now() < deadline;
    await new Promise((resolve) => setTimeout(resolve, 100))
  ) {
    try {
      const view = await read();
      if (isExpected(view)) return view;
      last = view;
    } catch (error) {
      last = error;
    }
  }
  const lastText = last instanceof Error ? last.message : JSON.stringify(last, null, 1);
  throw new Error(`The condition was not met within ${timeoutMs} ms: ${lastText}`);
}
