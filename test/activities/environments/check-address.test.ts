import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { checkAddress } from '../../../activities/environments/check-address.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { createCertificateAuthority } from '../../support/servers/temporal-tls-proxy.ts';
import { startSite } from '../../support/servers/test-sites.ts';

const checkedAt = '2026-01-01T00:00:00.000Z';
const never = new AbortController().signal;
const check = async (url: string, { zoneUrls = [url], signal = never } = {}) =>
  await checkAddress({ url, zoneUrls, allowedInside: [], signal, now: () => new Date(checkedAt) });

it('reports an address as reachable whatever its status is', async () => {
  const { url } = await startSite({ '/': (_, response) => response.writeHead(503).end() });
  expect(await check(url)).toEqual({
    url,
    checkedAt,
    reachable: true,
    certificate: 'none',
    message: 'The address responds with status 503.',
  });
});

it('reports a certificate that is not valid, although the address responds', async () => {
  const authority = await createCertificateAuthority(await createScratchFolder());
  const files = await authority.issue('shop-prod.localhost');
  const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
  const server = createServer({ cert, key }, (_, response) => response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `https://shop-prod.localhost:${(server.address() as AddressInfo).port}`;
  expect(await check(url)).toMatchObject({
    reachable: true,
    certificate: 'invalid',
    message: expect.stringMatching(/^The certificate is not valid: unable to verify/),
  });
});

it('reports an address that does not respond, and one that the service must not request', async () => {
  const unreachable = { reachable: false, certificate: 'unknown' };
  expect(await check('http://shop-prod.localhost:1')).toMatchObject({
    ...unreachable,
    message: expect.stringMatching(/^The address does not respond: .*ECONNREFUSED/),
  });
  const { url, requests } = await startSite({ '/': 'inside' });
  expect(await check(url, { zoneUrls: [] })).toMatchObject({
    ...unreachable,
    message: expect.stringContaining('has neither an address of the zone'),
  });
  expect(requests).toEqual([]);
});

it('has no result when it is cancelled', async () => {
  const controller = new AbortController();
  const { url } = await startSite({ '/': () => controller.abort(new Error('cancelled')) });
  await expect(check(url, { signal: controller.signal })).rejects.toThrow('cancelled');
});
