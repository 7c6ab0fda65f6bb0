/** Marks an issue with the request that created it, so that a retry finds it; code hosts do not show the comment. */
export const requestMarker = (payloadKey: string): string => `<!-- service-request: ${payloadKey} -->`;

export const addRequestMarker = (body: string, payloadKey: string): string => `${body}\n\n${requestMarker(payloadKey)}`;

/** Returns the body as its author wrote it. */
export function removeRequestMarker(body: string): string {
  const at = body.lastIndexOf('<!-- service-request: ');
  return at !== -1 && /^<!-- service-request: [^\s>]+ -->\s*$/.test(body.slice(at))
    ? body.slice(0, at).trimEnd()
    : body;
}
