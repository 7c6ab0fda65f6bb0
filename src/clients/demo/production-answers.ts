import { get } from 'node:http';
import type { ReleaseView } from './views.ts';

/** Whether the last zone's address answers, and where the app tells its version (`/version`) tells this one. */
export async function productionAnswers({ spec, status }: ReleaseView): Promise<boolean> {
  const address = status.zones.at(-1)?.address;
  if (address === undefined || (await ask(address, '/'))?.status !== 200) return false;
  const told = await ask(address, '/version');
  if (told?.status !== 200 || !told.type.includes('json')) return true;
  const { version } = JSON.parse(told.body) as { version?: string };
  return version === undefined || version === spec.version;
}

type Answer = { status: number; type: string; body: string };

/** `*.localhost` is loopback by RFC 6761, which not every system's look-up knows. */
async function ask(address: string, path: string): Promise<Answer | undefined> {
  const { hostname, host, port } = new URL(address);
  const target = hostname.endsWith('.localhost') ? '127.0.0.1' : hostname;
  return await new Promise((resolve) => {
    const asking = get({ host: target, port: port || 80, path, headers: { host }, timeout: 5_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body }),
      );
    });
    asking.on('timeout', () => asking.destroy());
    asking.on('error', () => resolve(undefined));
  });
}
