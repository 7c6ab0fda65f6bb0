import { describe, expect, it } from 'vitest';
import { type ZoneSpec, ProductKind } from '../../../src/rules/products/kinds.ts';
import { aShop, send } from './shop-fixture.ts';

const namespace = 'org-acme';
const volume = (name: string, path: string) => ({ name, path, size: '1Gi' });
const firstZone = '/spec/delivery/zones/0';

/** Returns the fields that a replacement with invalid settings of the first zone is rejected for. */
async function listRejectedFields(settings: Partial<Record<keyof ZoneSpec, unknown>>) {
  const api = await aShop();
  const first = { name: 'shop-rc', promotionPolicy: 'automatic', ...settings };
  const spec = { repos: [], delivery: { zones: [first, { name: 'shop-prod', promotionPolicy: 'after-approval' }] } };
  const response = await send(api, '/v1/orgs/acme/products/shop', { method: 'PUT', body: { spec, generation: 1 } });
  expect(response.status).toBe(422);
  const before = await api.store.get(ProductKind, { namespace, name: 'shop' });
  expect(before.metadata.generation).toBe(1);
  return response.pointers;
}

describe('the settings of a zone', () => {
  it.each([
    ['more than 20 replicas', { replicas: 21 }, [`${firstZone}/replicas`]],
    ['negative replicas', { replicas: -1 }, [`${firstZone}/replicas`]],
    ['half a replica', { replicas: 1.5 }, [`${firstZone}/replicas`]],
    ['CPU that is not a quantity', { cpu: '2 cores' }, [`${firstZone}/cpu`]],
    ['zero CPU', { cpu: '0' }, [`${firstZone}/cpu`]],
    ['memory without a unit', { memory: '256' }, [`${firstZone}/memory`]],
    ['zero memory', { memory: '0Mi' }, [`${firstZone}/memory`]],
    [
      'nine volumes',
      { volumes: Array.from({ length: 9 }, (_, at) => volume(`v${at}`, `/v${at}`)) },
      [`${firstZone}/volumes`],
    ],
    ['two volumes with one name', { volumes: [volume('a', '/a'), volume('a', '/b')] }, [`${firstZone}/volumes/1/name`]],
    ['a volume inside another', { volumes: [volume('a', '/a/b'), volume('b', '/a')] }, [`${firstZone}/volumes/1/path`]],
    ['a volume over a system directory', { volumes: [volume('a', '/etc/app')] }, [`${firstZone}/volumes/0/path`]],
    ['a volume path with ..', { volumes: [volume('a', '/a/../etc')] }, [`${firstZone}/volumes/0/path`]],
    [
      'eleven addresses',
      { addresses: Array.from({ length: 11 }, (_, at) => ({ domain: 'apps.example.net', name: `a${at}` })) },
      [`${firstZone}/addresses`],
    ],
    ['a move to another cluster', { cluster: 'apart' }, [`${firstZone}/cluster`]],
    ['an unknown access', { access: 'private' }, [`${firstZone}/access`]],
    ['a promotion policy that does not exist', { promotionPolicy: 'sometimes' }, [`${firstZone}/promotionPolicy`]],
  ])('422: rejects %s', async (_what, settings, pointers) => {
    expect(await listRejectedFields(settings)).toEqual(pointers);
  });

  it('200: accepts settings at their bounds', async () => {
    const api = await aShop();
    const volumes = Array.from({ length: 8 }, (_, at) => volume(`v${at}`, `/v/${at}`));
    const first = { name: 'shop-rc', promotionPolicy: 'automatic', replicas: 20, cpu: '0.5', memory: '2Gi', volumes };
    const body = { spec: { repos: [], delivery: { zones: [first] } }, generation: 1 };
    expect((await api.request('/v1/orgs/acme/products/shop', { method: 'PUT', body })).status).toBe(200);
  });
});
