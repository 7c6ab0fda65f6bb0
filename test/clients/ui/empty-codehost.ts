import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import type { Store } from '../../../src/store/store.ts';

const responses: [path: RegExp, body: unknown][] = [
  [/\/installation$/, { id: 1 }],
  [/\/access_tokens$/, { token: 'token', expires_at: '2100-01-01T00:00:00Z', permissions: {} }],
  [/\/issues$/, []],
];

/** Starts a code host whose repos have no issues, and returns how to connect an org to it. */
export async function startEmptyCodehost(onCleanup: (close: () => Promise<void>) => void) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://codehost').pathname;
    const found = responses.find(([pattern]) => pattern.test(path));
    response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(found?.[1] ?? { message: 'Not Found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanup(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const connect = async (store: Store): Promise<void> =>
    void (await store.create(SecretKind, {
      metadata: { namespace: 'org-acme', name: 'codehost-app' },
      type: 'Opaque',
      data: Object.fromEntries(
        Object.entries({ 'app-id': '1', 'private-key': pem }).map(([key, value]) => [
          key,
          Buffer.from(value).toString('base64'),
        ]),
      ),
    }));
  return { codehostApiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connect };
}
