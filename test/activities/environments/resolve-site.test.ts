import { expect, it } from 'vitest';
import { resolveSite } from '../../../activities/environments/resolve-site.ts';

const own = 'http://shop-prod.localhost:8080';
const scope = { zoneUrls: [own], allowedInside: [] };

it('resolves an address of the zone itself, although it is inside the network', async () => {
  expect(await resolveSite(`${own}/healthz`, scope)).toEqual({ url: `${own}/healthz`, address: '127.0.0.1' });
});

it.each([
  ['another port of the host', 'http://shop-prod.localhost:9090/'],
  ['another host inside', 'http://127.0.0.1:8080/'],
  ['the metadata of the cloud', 'http://169.254.169.254/'],
  ['a name that does not resolve', 'http://gone.invalid/'],
])('has no address for %s, in the same words', async (_, url) => {
  const { origin } = new URL(url);
  expect(await resolveSite(url, scope)).toEqual({
    problem: `${origin} has neither an address of the zone nor one on the internet. Check the name, or use an address of the zone.`,
  });
});
