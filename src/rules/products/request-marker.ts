/** Marks an issue with the request that created it, so that a retry finds it; code hosts do not show the comment. */
export const requestMarker = (payloadKey: string): string => `<!-- service-request: ${payloadKey} -->`;

export const addRequestMarker = (body: string, payloadKey: string): string => `${body}\n\n${requestMarker(payloadKey)}`;

/** Returns the body as its author wrote it. */
export const removeRequestMarker = (body: string): string =>
  body.replace(/\s*<!-- service-request: [^\s>]+ -->\s*$/, '');
