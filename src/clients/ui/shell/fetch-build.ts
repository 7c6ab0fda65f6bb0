/**
 * Has the browser cache all files of this build, one after the other, because a server that is unavailable, or that has
 * another build by now, does not send them.
 */
export async function fetchBuild(): Promise<void> {
  const response = await fetch('/files.json');
  for (const path of (await response.json()) as string[]) {
    // Browsers send this Accept header for styles, and reuse a cached response only for an equal one.
    const accept = path.endsWith('.css') ? 'text/css,*/*;q=0.1' : '*/*';
    await idle();
    await fetch(path, { headers: { Accept: accept }, priority: 'low' }).then(async (file) => await file.arrayBuffer());
  }
}

const idleMsMax = 1_000;

/** User input takes precedence. Safari has no `requestIdleCallback`, and a hidden page gets no input. */
const idle = async (): Promise<void> =>
  await new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function' && !document.hidden)
      requestIdleCallback(() => resolve(), { timeout: idleMsMax });
    else setTimeout(resolve);
  });
