import { get } from 'node:http';
import type { ReleaseView } from './views.ts';

/** Checks that the last zone's address responds and, if the app serves `/version`, that it runs this version. */
export async function isProductionServing({ spec, status }: ReleaseView): Promise<boolean> {
  const address = status.zones.at(-1)?.address;
  if (address === undefined || (await requestZone(address, '/'))?.status !== 200) return false;
  const response = await requestZone(address, '/version');
  if (response?.status !== 200 || !response.type.includes('json')) return true;
  const { version } = JSON.parse(response.body) as { version?: string };
  return version === undefined || version === spec.version;
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
  });
}
