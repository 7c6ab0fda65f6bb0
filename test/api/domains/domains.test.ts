import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Knot, describeWithKnot, startKnot } from '../../support/servers/dns-servers.ts';
import { referToTcp, startFakeDnsServer } from '../../support/servers/fake-dns-server.ts';
import { type DomainHarness, startDomainHarness } from '../../support/workflows/domain-harness.ts';
import type { Store } from '../../../src/store/store.ts';
import { checksChangedSignal, verifyDomainId } from '../../../workflows/domains/messages.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { waitUntil } from '../../support/platform/wait-until.ts';

const day = 24 * 60 * 60_000;
const path = '/v1/orgs/acme/domains';

type DomainBody = {
  name: string;
  spec: object;
  status: {
    state: string;
    message?: string;
    lastCheckedAt?: string;
    checks?: Record<string, { verdict: string; message: string }>;
  };
  records: { type: string; name: string; value: string }[];
  addresses: object[];
};

const claim = async ({ callApi }: DomainHarness, name: string, org = 'acme', kind = 'external') =>
  await callApi(`/v1/orgs/${org}/domains`, 'POST', { name, kind });
const check = async ({ callApi }: DomainHarness, name: string, org = 'acme') => {
  const { status, body } = await callApi(`/v1/orgs/${org}/domains/${name}/check`, 'POST');
  expect(status, JSON.stringify(body)).toBe(200);
  return body as unknown as DomainBody;
};
/** Claims a domain, and returns the token of its proof. */
const claimForToken = async (harness: DomainHarness, name: string, org = 'acme'): Promise<string> => {
  const { status, body } = await claim(harness, name, org);
  expect(status, JSON.stringify(body)).toBe(201);
  return tokenIn(body);
};
const tokenIn = (body: unknown): string => (body as DomainBody).records.find(({ type }) => type === 'TXT')?.value ?? '';
const read = async ({ callApi }: DomainHarness, name: string, org = 'acme') =>
  ((await callApi(`/v1/orgs/${org}/domains`)).body as unknown as { items: DomainBody[] }).items.find(
    (domain) => domain.name === name,
  );

describeWithKnot('domains of an org', () => {
  let knot: Knot;
  let sweeping: DomainHarness;
  let manual: DomainHarness;
  let store: Store;
  let beforeDelete = async (): Promise<void> => {};
  beforeAll(async () => {
    knot = await startKnot({ zones: [{ name: 'test.', records: '' }] });
    const resolver = `127.0.0.1:${knot.port}`;
    sweeping = await startDomainHarness({ resolver });
    const memory = openMemoryStore();
    const remove: Store['delete'] = async (...args) => {
      await beforeDelete();
      return await memory.delete(...args);
    };
    store = { ...memory, delete: remove };
    manual = await startDomainHarness({ resolver, sweepIntervalMs: 600_000, store });
  });
  afterEach(() => manual.resetTime());
  afterAll(async () => {
    await Promise.all([sweeping.close(), manual.close()]);
    await store.close();
    await knot.stop();
  });
  const addProof = async (name: string, token: string) =>
    await knot.update('test.', `add _service.${name}. 60 TXT "${token}"`);
  const removeProof = async (name: string) => await knot.update('test.', `delete _service.${name}. TXT`);

  describe('createDomain', () => {
    it('201: returns the required records; the sweep verifies the domain and records what it observed', async () => {
      const harness = sweeping;
      const startedAt = Date.now();
      const { status, body } = await claim(harness, 'Shop.One.TEST.');
      expect(status).toBe(201);
      expect(body).toMatchObject({
        name: 'shop.one.test',
        spec: { kind: 'external', shared: false },
        status: { state: 'WaitingForDns' },
      });
      expect(body['spec']).not.toHaveProperty('token');
      expect(body['records']).toMatchObject([
        {
          type: 'TXT',
          name: '_service.shop.one.test',
          value: expect.stringMatching(/^service-verify=[0-9a-f]{40}$/),
        },
        { type: 'A', name: 'shop.one.test', value: '192.0.2.1' },
        { type: 'A', name: '*.shop.one.test', value: '192.0.2.1' },
      ]);
      await waitUntil(
        async () => await read(harness, 'shop.one.test'),
        (domain) => domain?.status.checks?.['ownership']?.verdict === 'missing',
      );
      await addProof('shop.one.test', tokenIn(body));
      await knot.update('test.', 'add shop.one.test. 60 A 192.0.2.1');
      const verified = await waitUntil(
        async () => await read(harness, 'shop.one.test'),
        (domain) => domain?.status.state === 'Verified' && domain.status.checks?.['traffic']?.verdict === 'connected',
      );
      expect(verified?.status).toMatchObject({
        checks: {
          ownership: { verdict: 'verified', server: 'ns.test (127.0.0.1)', at: expect.any(String) },
          traffic: { verdict: 'connected', observed: ['192.0.2.1'] },
          certificates: { verdict: 'allowed' },
        },
      });
      expect(verified?.status).not.toHaveProperty('message');
      const checkedAt = Date.parse(verified?.status.lastCheckedAt ?? '');
      expect(checkedAt).toBeGreaterThanOrEqual(startedAt);
      expect(checkedAt).toBeLessThanOrEqual(Date.now());
    });

    it('409: reserves the name, its parents and its subdomains for the first org', async () => {
      const harness = sweeping;
      expect((await claim(harness, 'a.five.test')).status).toBe(201);
      for (const name of ['a.five.test', 'five.test', 'x.a.five.test'])
        expect(await claim(harness, name, 'other')).toMatchObject({
          status: 409,
          body: { detail: expect.stringContaining('another org') },
        });
      expect(await claim(harness, 'b.five.test', 'other')).toMatchObject({ status: 201 });
      expect(await claim(harness, 'a.five.test')).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('already') },
      });
      expect(await claim(harness, 'x.a.five.test')).toMatchObject({ status: 201 });
    });

    it('409: gives a name to one of two orgs that claim it concurrently', async () => {
      const harness = sweeping;
      const answers = await Promise.all([claim(harness, 'six.test'), claim(harness, 'six.test', 'other')]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
      const related = await Promise.all([claim(harness, 'p.seven.test'), claim(harness, 'seven.test', 'other')]);
      expect(related.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    });

    it('201: lets another org claim and verify a domain after 7 days without proof', async () => {
      const harness = manual;
      const first = await claimForToken(harness, 'eight.test');
      harness.advanceTime(7 * day + 60_000);
      expect((await check(harness, 'eight.test')).status.state).toBe('Failed');
      const second = await claimForToken(harness, 'eight.test', 'other');
      expect(second).not.toBe(first);
      await addProof('eight.test', second);
      expect((await check(harness, 'eight.test', 'other')).status.state).toBe('Verified');
      expect(await read(harness, 'eight.test')).toMatchObject({
        status: { state: 'Failed', message: expect.stringContaining('Another org has verified') },
      });
      // The first org cannot reclaim the domain, even with its own record.
      await addProof('eight.test', first);
      expect((await check(harness, 'eight.test')).status.state).toBe('Failed');
    });

    it('422: rejects invalid names, public suffixes and the domains of the installation', async () => {
      const harness = manual;
      for (const name of [
        'https://x.test',
        '192.0.2.1',
        'x',
        'co.uk',
        'a b.test',
        '*.x.test',
        'shop.apps.example.net',
        'managed.test',
      ])
        expect(await claim(harness, name), name).toMatchObject({
          status: 422,
          body: { errors: [{ pointer: '/name' }] },
        });
      for (const name of ['www.managed.test', 'a.b.managed.test', 'x.elsewhere.test'])
        expect(await claim(harness, name, 'acme', 'managed'), name).toMatchObject({
          status: 422,
          body: { errors: [{ pointer: '/name' }] },
        });
      expect(await harness.callApi(path, 'POST', { name: 'x.test', kind: 'external', shared: true })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/shared' }] },
      });
    });

    it('201: accepts an internationalized name in any spelling', async () => {
      const harness = sweeping;
      expect(await claim(harness, 'MÜNCHEN.test')).toMatchObject({
        status: 201,
        body: { name: 'xn--mnchen-3ya.test' },
      });
      expect((await check(harness, encodeURIComponent('münchen.test'))).name).toBe('xn--mnchen-3ya.test');
    });
  });

  describe('checkDomain', () => {
    it('200: verifies a domain immediately', async () => {
      const harness = manual;
      const token = await claimForToken(harness, 'two.test');
      await addProof('two.test', token);
      expect((await check(harness, 'two.test')).status.state).toBe('Verified');
    });

    it('200: fails a domain 7 days after its record was removed, and verifies it when the record returns', async () => {
      const harness = manual;
      const token = await claimForToken(harness, 'three.test');
      await addProof('three.test', token);
      await check(harness, 'three.test');
      await removeProof('three.test');
      const removed = await check(harness, 'three.test');
      expect(removed.status).toMatchObject({
        state: 'Verified',
        message: expect.stringContaining('Restore it before'),
        absentSince: expect.any(String),
      });
      harness.advanceTime(7 * day + 60_000);
      expect((await check(harness, 'three.test')).status).toMatchObject({ state: 'Failed' });
      await addProof('three.test', token);
      const restored = await check(harness, 'three.test');
      expect(restored.status.state).toBe('Verified');
      expect(restored.status).not.toHaveProperty('message');
    });

    it('200: keeps the state when name servers do not respond', async () => {
      const authoritative = await startKnot({
        address: '127.0.0.2',
        port: knot.port,
        zones: [{ name: 'four.test.', records: '' }],
      });
      await knot.update('test.', 'add four.test. 60 NS ns.four.test.', 'add ns.four.test. 60 A 127.0.0.2');
      const harness = manual;
      const token = await claimForToken(harness, 'four.test');
      await authoritative.update('four.test.', `add _service.four.test. 60 TXT "${token}"`);
      expect((await check(harness, 'four.test')).status.state).toBe('Verified');
      await authoritative.stop();
      await startFakeDnsServer({ address: '127.0.0.2', port: knot.port, answer: referToTcp });
      harness.advanceTime(8 * day);
      const { status } = await check(harness, 'four.test');
      expect(status).toMatchObject({ state: 'Verified', checks: { ownership: { verdict: 'unknown' } } });
      expect(status).not.toHaveProperty('absentSince');
    });
  });

  describe('deleteDomain', () => {
    it('200: returns the remaining records and releases the name', async () => {
      const harness = sweeping;
      expect(await claim(harness, 'nine.test')).toMatchObject({ status: 201 });
      expect(await harness.callApi(`${path}/nine.test`, 'DELETE')).toMatchObject({
        status: 200,
        body: { name: 'nine.test', remainingRecords: [{ type: 'TXT', name: '_service.nine.test' }, {}, {}] },
      });
      expect((await claim(harness, 'nine.test', 'other')).status).toBe(201);
      expect((await harness.callApi(`${path}/nine.test`, 'DELETE')).status).toBe(404);
    });

    it('200: deletes a domain although the result of a check arrives at the same moment', async () => {
      const harness = manual;
      expect(await claim(harness, 'ten.test')).toMatchObject({ status: 201 });
      const workflow = harness.temporal.workflow.getHandle(verifyDomainId({ domain: 'ten.test' }));
      beforeDelete = async () => {
        beforeDelete = async () => {};
        await workflow.signal(checksChangedSignal, { org: 'acme' });
      };
      expect(await harness.callApi(`${path}/ten.test`, 'DELETE')).toMatchObject({ status: 200 });
      expect((await harness.callApi(`${path}/ten.test`)).status).toBe(404);
    });
  });
});
