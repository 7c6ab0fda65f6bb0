/**
 * Has the browser keep all files of this build, one after the other: a server that is away, or that has another build by
 * now, does not send them any more.
 */
export async function fetchBuild(): Promise<void> {
  const response = await fetch('/files.json');
  for (const path of (await response.json()) as string[]) {
    // Browsers ask for styles in this way, and take a kept response only for an equal request.
    const accept = path.endsWith('.css') ? 'text/css,*/*;q=0.1' : '*/*';
    await idle();
    await fetch(path, { headers: { Accept: accept }, priority: 'low' }).then(async (file) => await file.arrayBuffer());
  }
}

const idleMsMax = 1_000;

/** A press goes before it. Safari has no time that is known to be idle, and a hidden page is not pressed. */
const idle = async (): Promise<void> =>
  await new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function' && !document.hidden)
      requestIdleCallback(() => resolve(), { timeout: idleMsMax });
    else setTimeout(resolve);
  });
