/**
 * Resolves a path to a URL of this installation. Returns undefined for anything that a browser would open elsewhere. The
 * result is a whole URL because a path of it may begin with two slashes, which a browser takes for a host.
 */
export function toOwnUrl(path: string, publicUrl: string): URL | undefined {
  if (!path.startsWith('/')) return undefined;
  const url = URL.parse(path, publicUrl);
  return url?.origin === new URL(publicUrl).origin ? url : undefined;
}
