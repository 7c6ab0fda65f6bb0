/** Shortens the digest of an image as commits are shortened: its algorithm is the same everywhere. */
export const shortDigest = (digest: string): string => digest.replace(/^sha256:/, '').slice(0, 7);
