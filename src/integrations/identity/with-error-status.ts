type Fetch = typeof globalThis.fetch;

/**
 * GitHub responds to a refused code with status 200 and an error in the body. The error gets the status that OAuth
 * defines for it, by which the library recognizes it.
 */
export function withErrorStatus(fetch: Fetch, tokenEndpoint: string): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (input !== tokenEndpoint || response.status !== 200) return response;
    const text = await response.text();
    const headers = { 'content-type': response.headers.get('content-type') ?? '' };
    return new Response(text, { status: isError(text) ? 400 : 200, headers });
  };
}

function isError(text: string): boolean {
  try {
    return typeof (JSON.parse(text) as { error?: unknown } | null)?.error === 'string';
  } catch {
    return false;
  }
}
