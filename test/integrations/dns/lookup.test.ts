import { describe, expect, it } from 'vitest';
import {
  a,
  cname,
  ns,
  referral,
  type Respond,
  type ScriptedReply,
  soa,
  startScriptedServers,
  txt,
} from './scripted-servers.ts';

const name = '_service.shop.test';
const found: ScriptedReply = { authoritative: true, answers: [txt(name, 'one')] };
const absent: ScriptedReply = { authoritative: true, authorities: [soa('shop.test')] };

/** Answers questions for TXT records with one reply after the other, the last one again and again. */
function inTurn(...replies: (ScriptedReply | undefined)[]): Respond {
  return ({ type }) => (type === 'TXT' ? (replies.length > 1 ? replies.shift() : replies[0]) : undefined);
}

/** Starts two name servers of one zone, which a resolver names. */
async function startPair(first: Respond, second: Respond) {
  const servers = await startScriptedServers({
    '127.0.0.1': ({ type }) =>
      type === 'SOA'
        ? { authorities: [soa('shop.test')] }
        : type === 'NS'
          ? {
              answers: [ns('shop.test', 'ns1.shop.test'), ns('shop.test', 'ns2.shop.test')],
              additionals: [a('ns1.shop.test', '127.0.1.1'), a('ns2.shop.test', '127.0.1.2')],
            }
          : undefined,
    '127.0.1.1': first,
    '127.0.1.2': second,
  });
  const count = () => {
    const asked = servers.takeAsked();
    return ['127.0.1.1', '127.0.1.2'].map(
      (address) => asked.filter((line) => line.startsWith(`${address} TXT`)).length,
    );
  };
  return { ...servers, count };
}

/** Starts one server, which is known as that of the zone. */
async function startSingle(respond: Respond, byResolver: Respond = () => undefined) {
  const server = await startScriptedServers({ '127.0.1.1': respond });
  return await startScriptedServers(
    { '127.0.0.1': byResolver },
    { zoneServers: [{ dnsZone: 'Shop.test.', server: `127.0.1.1:${server.port}` }] },
  ).then((resolver) => ({ ...resolver, takeAsked: server.takeAsked, takeResolverAsked: resolver.takeAsked }));
}

describe('the only server of a zone', () => {
  it('answers for the zone, without recursion', async () => {
    const { dns, takeAsked, takeResolverAsked } = await startSingle(inTurn(found));
    expect(await dns.lookupTxt(name)).toEqual({
      outcome: 'found',
      records: ['one'],
      aliases: [],
      authoritative: true,
      server: '127.0.1.1',
      response: 'has 1 TXT',
      at: '2026-05-04T10:00:00.000Z',
    });
    expect(takeAsked()).toEqual([`127.0.1.1 TXT ${name}`]);
    expect(takeResolverAsked()).toEqual([]);
  });

  it('is asked a second time after a failure, and the answer of the second time counts', async () => {
    const { dns, takeAsked } = await startSingle(inTurn(undefined, found));
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found' });
    expect(takeAsked()).toHaveLength(2);
  });

  it('is named once when it fails twice', async () => {
    const { dns } = await startSingle(inTurn(undefined));
    expect(await dns.lookupTxt(name)).toMatchObject({
      outcome: 'unknown',
      authoritative: false,
      server: '127.0.1.1',
      response: '127.0.1.1 says SERVFAIL',
    });
  });

  it('is asked once when it knows no record', async () => {
    const { dns, takeAsked } = await startSingle(inTurn(absent));
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'absent', response: 'has no TXT' });
    expect(takeAsked()).toHaveLength(1);
    await dns.lookupTxt(name, { allServers: true });
    expect(takeAsked()).toHaveLength(2);
  });

  it.each<[string, ScriptedReply, object]>([
    [
      'a missing name',
      { ...absent, rcode: 'NXDOMAIN' },
      { outcome: 'absent', response: 'says NXDOMAIN', authoritative: true },
    ],
    [
      'an answer of another server',
      { answers: [txt(name, 'one')] },
      { outcome: 'unknown', response: '127.0.1.1 is not authoritative for this zone' },
    ],
    [
      'an alias',
      { authoritative: true, answers: [cname(name, 'Other.test.'), txt('other.test', 'one')] },
      { outcome: 'absent', response: 'has a CNAME to other.test', aliases: ['other.test'] },
    ],
    [
      'an alias with the record',
      { authoritative: true, answers: [cname(name, 'other.test'), txt(name, 'one')] },
      { outcome: 'found', records: ['one'] },
    ],
    [
      'records of other names and types',
      { authoritative: true, answers: [txt('other.test', 'two'), a(name, '192.0.2.1'), cname('x.test', 'y.test')] },
      { outcome: 'absent', response: 'has no TXT', aliases: [] },
    ],
    [
      'name servers with an answer of its own zone',
      { authoritative: true, authorities: [ns('shop.test', 'ns.shop.test')] },
      { outcome: 'absent', response: 'has no TXT' },
    ],
  ])('is understood: %s', async (_, reply, expected) => {
    const { dns } = await startSingle(inTurn(reply));
    expect(await dns.lookupTxt(name)).toMatchObject(expected);
  });

  it('refers to the zone below, which answers', async () => {
    const { dns, takeAsked } = await startScriptedServers({
      '127.0.0.1': ({ type }) =>
        type === 'SOA'
          ? { authorities: [soa('shop.test')] }
          : { answers: [ns('shop.test', 'ns.shop.test')], additionals: [a('ns.shop.test', '127.0.1.1')] },
      '127.0.1.1': () => referral(name, '127.0.1.2'),
      '127.0.1.2': inTurn(found),
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', server: `ns.${name} (127.0.1.2)` });
    expect(takeAsked().filter((line) => line.includes('TXT'))).toEqual([
      `127.0.1.1 TXT ${name}`,
      `127.0.1.2 TXT ${name}`,
    ]);
  });

  it('is not left for a zone that it cannot refer to', async () => {
    const { dns, takeAsked } = await startSingle(() => referral('shop.test', '127.0.1.2'));
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'unknown' });
    expect(takeAsked()).toHaveLength(2);
  });
});

describe('two servers of a zone', () => {
  it('are asked until one has the record, and start at either', async () => {
    const { dns, count } = await startPair(inTurn(found), inTurn(found));
    const totals = [0, 0];
    for (let time = 0; time < 40; time += 1) {
      expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', records: ['one'] });
      const [first = 0, second = 0] = count();
      expect(first + second).toBe(1);
      totals[0] = (totals[0] ?? 0) + first;
      totals[1] = (totals[1] ?? 0) + second;
    }
    expect(Math.min(...totals)).toBeGreaterThan(0);
  });

  it('are both asked about an absent record only with allServers', async () => {
    const { dns, count } = await startPair(inTurn(absent), inTurn(absent));
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'absent' });
    expect(count().toSorted()).toEqual([0, 1]);
    expect(await dns.lookupTxt(name, { allServers: true })).toMatchObject({ outcome: 'absent' });
    expect(count()).toEqual([1, 1]);
  });

  it('are absent when one of them says so and the other fails', async () => {
    const { dns } = await startPair(inTurn(absent), inTurn(undefined));
    for (let time = 0; time < 4; time += 1)
      expect(await dns.lookupTxt(name, { allServers: true })).toMatchObject({
        outcome: 'absent',
        server: 'ns1.shop.test (127.0.1.1)',
      });
  });

  it('are both named when both fail', async () => {
    const { dns } = await startPair(inTurn(undefined), inTurn({ answers: [txt(name, 'one')] }));
    const { response, outcome } = await dns.lookupTxt(name);
    expect(outcome).toBe('unknown');
    expect(response.split('; ').toSorted()).toEqual([
      'ns1.shop.test (127.0.1.1) says SERVFAIL',
      'ns2.shop.test (127.0.1.2) is not authoritative for this zone',
    ]);
  });
});

describe('the resolvers', () => {
  const failing: Respond = () => undefined;

  it.each<[string, ScriptedReply, object]>([
    ['a record', { answers: [txt(name, 'one')] }, { outcome: 'found', records: ['one'], authoritative: false }],
    ['no record', { authorities: [soa('shop.test')] }, { outcome: 'absent', response: 'has no TXT' }],
    ['a missing name', { rcode: 'NXDOMAIN', authorities: [ns('test', 'ns.test')] }, { outcome: 'absent' }],
  ])('answer when no server of the zone does: %s', async (_, reply, expected) => {
    const { dns, takeResolverAsked } = await startSingle(failing, inTurn(reply));
    expect(await dns.lookupTxt(name)).toMatchObject({ ...expected, server: 'the resolver 127.0.0.1' });
    expect(takeResolverAsked()).toEqual([`127.0.0.1 TXT ${name} recursive`]);
  });

  it('know nothing when they return a referral or fail, and then the servers of the zone are named', async () => {
    for (const reply of [{ authorities: [ns('test', 'ns.test')] }, undefined]) {
      const { dns } = await startSingle(failing, inTurn(reply));
      expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'unknown', response: '127.0.1.1 says SERVFAIL' });
    }
  });

  it('are asked one after the other', async () => {
    const { dns, takeAsked } = await startScriptedServers(
      { '127.0.0.1': failing, '127.0.1.1': inTurn({ answers: [txt(name, 'one')] }) },
      { resolverAddresses: ['127.0.0.1', '127.0.1.1'] },
    );
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', server: 'the resolver 127.0.1.1' });
    expect(takeAsked().filter((line) => line.includes('TXT'))).toEqual([
      `127.0.0.1 TXT ${name} recursive`,
      `127.0.1.1 TXT ${name} recursive`,
    ]);
  });

  it('leave the name unknown when all fail and there is no zone', async () => {
    const { dns } = await startScriptedServers({ '127.0.0.1': failing });
    expect(await dns.lookupTxt(name)).toEqual({
      outcome: 'unknown',
      records: [],
      aliases: [],
      authoritative: false,
      server: `the servers of ${name}`,
      response: 'have no public address',
      at: '2026-05-04T10:00:00.000Z',
    });
  });
});
