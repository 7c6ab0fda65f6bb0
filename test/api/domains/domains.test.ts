import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Knot, describeWithKnot, startKnot } from '../../support/dns-servers.ts';
import { type DomainWorld, startDomainWorld } from '../../support/domain-world.ts';
import { until } from '../../support/acme.ts';

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

const claim = async ({ call }: DomainWorld, name: string, org = 'acme', kind = 'external') =>
  await call(`/v1/orgs/${org}/domains`, 'POST', { name, kind });
const check = async ({ call }: DomainWorld, name: string, org = 'acme') =>
  (await call(`/v1/orgs/${org}/domains/${name}/check`, 'POST')).body as unknown as DomainBody;
const tokenIn = (body: unknown): string => (body as DomainBody).records.find(({ type }) => type === 'TXT')?.value ?? '';
const read = async ({ call }: DomainWorld, name: string, org = 'acme') =>
  ((await call(`/v1/orgs/${org}/domains`)).body as unknown as { items: DomainBody[] }).items.find(
    (one) => one.name === name,
  );

describeWithKnot('domains of an org', () => {
  let knot: Knot;
  let quick: DomainWorld;
  let calm: DomainWorld;
  beforeAll(async () => {
    knot = await startKnot({ zones: [{ name: 'test.', records: '' }] });
    const resolver = `127.0.0.1:${knot.port}`;
    quick = await startDomainWorld({ resolver });
    calm = await startDomainWorld({ resolver, sweepMs: 600_000 });
  });
  afterEach(() => calm.comeBack());
  afterAll(async () => {
    await Promise.all([quick.close(), calm.close()]);
    await knot.stop();
  });
  const prove = async (name: string, token: string) =>
    await knot.update('test.', `add _service.${name}. 60 TXT "${token}"`);
  const unprove = async (name: string) => await knot.update('test.', `delete _service.${name}. TXT`);

  it('waits with the records to add, is verified by the sweep, and says what was seen', async () => {
    const one = quick;
    const { status, body } = await claim(one, 'Shop.One.TEST.');
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'shop.one.test',
      spec: { kind: 'external', shared: false },
      status: { state: 'WaitingForDns' },
    });
    expect(body['spec']).not.toHaveProperty('token');
    expect(body['records']).toMatchObject([
      { type: 'TXT', name: '_service.shop.one.test', value: expect.stringMatching(/^service-verify=[0-9a-f]{40}$/) },
      { type: 'A', name: 'shop.one.test', value: '192.0.2.1' },
      { type: 'A', name: '*.shop.one.test', value: '192.0.2.1' },
    ]);
    await until(
      async () => await read(one, 'shop.one.test'),
      (seen) => seen?.status.checks?.['ownership']?.verdict === 'missing',
    );
    await prove('shop.one.test', tokenIn(body));
    await knot.update('test.', 'add shop.one.test. 60 A 192.0.2.1');
    const verified = await until(
      async () => await read(one, 'shop.one.test'),
      (seen) => seen?.status.state === 'Verified' && seen.status.checks?.['traffic']?.verdict === 'reaches',
    );
    expect(verified?.status).toMatchObject({
      checks: {
        ownership: { verdict: 'proven', server: 'ns.test (127.0.0.1)', at: expect.any(String) },
        traffic: { verdict: 'reaches', seen: ['192.0.2.1'] },
        certificates: { verdict: 'allowed' },
      },
    });
    expect(verified?.status).not.toHaveProperty('message');
    const checkedAt = verified?.status.lastCheckedAt ?? '';
    expect(Date.now() - Date.parse(checkedAt)).toBeLessThan(10_000);
  });

  it('is verified by a check at once', async () => {
    const one = calm;
    const { body } = await claim(one, 'two.test');
    await prove('two.test', tokenIn(body));
    expect((await check(one, 'two.test')).status.state).toBe('Verified');
  });

  it('stays verified for 7 days without its record, then fails, and comes back with it', async () => {
    const one = calm;
    const { body } = await claim(one, 'three.test');
    await prove('three.test', tokenIn(body));
    await check(one, 'three.test');
    await unprove('three.test');
    const gone = await check(one, 'three.test');
    expect(gone.status).toMatchObject({
      state: 'Verified',
      message: expect.stringContaining('Put it back before'),
      absentSince: expect.any(String),
    });
    one.travel(7 * day + 60_000);
    expect((await check(one, 'three.test')).status).toMatchObject({ state: 'Failed' });
    await prove('three.test', tokenIn(body));
    const back = await check(one, 'three.test');
    expect(back.status.state).toBe('Verified');
    expect(back.status).not.toHaveProperty('message');
  });

  it('is not moved by servers that do not answer', async () => {
    const away = await startKnot({
      address: '127.0.0.2',
      port: knot.port,
      zones: [{ name: 'four.test.', records: '' }],
    });
    await knot.update('test.', 'add four.test. 60 NS ns.four.test.', 'add ns.four.test. 60 A 127.0.0.2');
    const one = calm;
    const { body } = await claim(one, 'four.test');
    await away.update('four.test.', `add _service.four.test. 60 TXT "${tokenIn(body)}"`);
    expect((await check(one, 'four.test')).status.state).toBe('Verified');
    await away.stop();
    one.travel(8 * day);
    const { status } = await check(one, 'four.test');
    expect(status).toMatchObject({ state: 'Verified', checks: { ownership: { verdict: 'unknown' } } });
    expect(status).not.toHaveProperty('absentSince');
  });

  it('409: keeps the name for the first org, above and below it too', async () => {
    const one = quick;
    expect((await claim(one, 'a.five.test')).status).toBe(201);
    for (const name of ['a.five.test', 'five.test', 'x.a.five.test'])
      expect(await claim(one, name, 'other')).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('another org') },
      });
    expect(await claim(one, 'b.five.test', 'other')).toMatchObject({ status: 201 });
    expect(await claim(one, 'a.five.test')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('already') },
    });
    expect(await claim(one, 'x.a.five.test')).toMatchObject({ status: 201 });
  });

  it('409: lets one of two orgs have a name that both ask for at once', async () => {
    const one = quick;
    const answers = await Promise.all([claim(one, 'six.test'), claim(one, 'six.test', 'other')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const related = await Promise.all([claim(one, 'p.seven.test'), claim(one, 'seven.test', 'other')]);
    expect(related.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  it('makes way, after 7 days without proof, for whoever can prove it, with a record of their own', async () => {
    const one = calm;
    const first = await claim(one, 'eight.test');
    one.travel(7 * day + 60_000);
    expect((await check(one, 'eight.test')).status.state).toBe('Failed');
    const second = await claim(one, 'eight.test', 'other');
    expect(second.status).toBe(201);
    expect(tokenIn(second.body)).not.toBe(tokenIn(first.body));
    await prove('eight.test', tokenIn(second.body));
    expect((await check(one, 'eight.test', 'other')).status.state).toBe('Verified');
    expect(await read(one, 'eight.test')).toMatchObject({
      status: { state: 'Failed', message: expect.stringContaining('Another org has proven') },
    });
    // Even with a record of its own it is not taken back.
    await prove('eight.test', tokenIn(first.body));
    expect((await check(one, 'eight.test')).status.state).toBe('Failed');
  });

  it('is removed, with the records named that are left elsewhere, and is free then', async () => {
    const one = quick;
    await claim(one, 'nine.test');
    const { status, body } = await one.call(`${path}/nine.test`, 'DELETE');
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'nine.test', remaining: [{ type: 'TXT', name: '_service.nine.test' }, {}, {}] });
    expect((await claim(one, 'nine.test', 'other')).status).toBe(201);
    expect((await one.call(`${path}/nine.test`, 'DELETE')).status).toBe(404);
  });

  it('422: refuses what is no domain, nobody’s or the installation’s own', async () => {
    const one = calm;
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
      expect(await claim(one, name), name).toMatchObject({ status: 422, body: { errors: [{ pointer: '/name' }] } });
    for (const name of ['www.managed.test', 'a.b.managed.test', 'x.elsewhere.test'])
      expect(await claim(one, name, 'acme', 'managed'), name).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/name' }] },
      });
    expect(await one.call(path, 'POST', { name: 'x.test', kind: 'external', shared: true })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/shared' }] },
    });
  });

  it('takes an IDN in any spelling as one name', async () => {
    const one = quick;
    expect(await claim(one, 'MÜNCHEN.test')).toMatchObject({ status: 201, body: { name: 'xn--mnchen-3ya.test' } });
    expect((await check(one, encodeURIComponent('münchen.test'))).name).toBe('xn--mnchen-3ya.test');
  });
});
