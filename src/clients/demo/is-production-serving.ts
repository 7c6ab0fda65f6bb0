import { get } from 'node:http';
import type { ReleaseView } from './views.ts';

/**
 * Checks that the last zone's address responds as the smoke check demands, where a redirect counts as a response, and
 * that the app runs this version if it serves `/version`.
 */
export async function isProductionServing({ spec, status }: ReleaseView): Promise<boolean> {
  const address = status.zones.at(-1)?.address;
  const page = address === undefined ? undefined : await requestZone(address, '/');
  if (address === undefined || page === undefined || page.status >= 400) return false;
  const response = await requestZone(address, '/version');
  if (response?.status !== 200 || !response.type.includes('json')) return true;
  const version = parseVersion(response.body);
  // An app may serve a version of its own, such as that of its package.
  return version === undefined || !/^v\d+\.\d+\.\d+$/.test(version) || version === spec.version;
}

function parseVersion(body: string): string | undefined {
  try {
    const { version } = JSON.parse(body) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

type ZoneResponse = { status: number; type: string; body: string };

/** Connects to loopback for `*.localhost` (RFC 6761), because not every system resolves it. */
async function requestZone(address: string, path: string): Promise<ZoneResponse | undefined> {
  const { hostname, host, port } = new URL(address);
  const target = hostname.endsWith('.localhost') ? '127.0.0.1' : hostname;
  return await new Promise((resolve) => {
    const request = get({ host: target, port: port || 80, path, headers: { host }, timeout: 5_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body }),
      );
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
    // A response that is cut off has no end.
    request.on('close', () => resolve(undefined));
  });
}
