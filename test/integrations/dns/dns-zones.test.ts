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
const failing: Respond = () => undefined;

/** Answers as a server of the zone does. */
const serving: Respond = ({ type }) =>
  type === 'TXT' ? found : { authoritative: true, authorities: [soa('shop.test')] };

/** Answers as a recursive resolver that knows the zone and its name servers. */
const resolving =
  (
    nameServers: string[],
    more: Record<string, string[]> = {},
    additionals: ScriptedReply['additionals'] = [],
  ): Respond =>
  ({ name: asked, type }) => {
    if (type === 'SOA') return { authorities: [soa('shop.test')] };
    if (type === 'NS') return { answers: nameServers.map((host) => ns('shop.test', host)), additionals };
    if (type === 'TXT') return undefined;
    return type === 'A' ? { answers: (more[asked] ?? []).map((address) => a(asked, address)) } : {};
  };

describe('a resolver that is recursive', () => {
  it('names the zone and its servers, whose addresses it may add', async () => {
    const { dns, takeAsked } = await startScriptedServers({
      '127.0.0.1': resolving(['NS.shop.test.'], {}, [a('ns.shop.test', '127.0.1.1')]),
      '127.0.1.1': serving,
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', server: 'ns.shop.test (127.0.1.1)' });
    expect(takeAsked()).toEqual([
      '127.0.0.1 SOA shop.test recursive',
      '127.0.0.1 NS shop.test recursive',
      `127.0.1.1 TXT ${name}`,
    ]);
  });

  it('is asked, and so is a name server, at an IPv4 address that is written as an IPv6 address', async () => {
    const { dns } = await startScriptedServers(
      {
        '127.0.0.1': resolving(['ns.shop.test'], {}, [
          { type: 'AAAA', name: 'ns.shop.test', data: '::ffff:127.0.1.1' },
        ]),
        '127.0.1.1': serving,
      },
      { resolverAddresses: ['[::ffff:127.0.0.1]'] },
    );
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', server: 'ns.shop.test (127.0.1.1)' });
  });

  it('is asked for the addresses of servers without them, of both families', async () => {
    const { dns, takeAsked } = await startScriptedServers({
      '127.0.0.1': ({ name: asked, type, recursive }) =>
        type === 'A' && asked === 'ns.other.test'
          ? { authoritative: true, answers: [a(asked, '127.0.1.1')] }
          : resolving(['ns.other.test'])({ name: asked, type, recursive }),
      '127.0.1.1': serving,
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', server: 'ns.other.test (127.0.1.1)' });
    expect(takeAsked().slice(2)).toEqual([
      '127.0.0.1 A ns.other.test recursive',
      '127.0.0.1 AAAA ns.other.test recursive',
      `127.0.1.1 TXT ${name}`,
    ]);
  });

  it('is asked for the zone above when the name has no zone with servers', async () => {
    const { dns, takeAsked } = await startScriptedServers({
      '127.0.0.1': ({ name: asked, type }) => {
        if (type === 'SOA') return asked === 'test' ? { authorities: [soa('test')] } : undefined;
        if (type === 'NS') return { answers: [ns('test', 'ns.test')], additionals: [a('ns.test', '127.0.1.1')] };
        return undefined;
      },
      '127.0.1.1': serving,
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', server: 'ns.test (127.0.1.1)' });
    expect(takeAsked()).toEqual([
      '127.0.0.1 SOA shop.test recursive',
      '127.0.0.1 SOA test recursive',
      '127.0.0.1 NS test recursive',
      `127.0.1.1 TXT ${name}`,
    ]);
  });

  it.each<[string, ScriptedReply]>([
    [
      'an alias, because the zone may be that of its target',
      { answers: [cname('shop.test', 'x.test'), soa('shop.test')] },
    ],
    ['a zone elsewhere', { authorities: [soa('other.test')] }],
    ['no zone', {}],
  ])('does not tell the zone by %s', async (_, reply) => {
    const { dns, takeAsked } = await startScriptedServers({
      '127.0.0.1': ({ name: asked, type }) =>
        type === 'SOA' && asked === 'shop.test' ? reply : type === 'TXT' ? { answers: [txt(name, 'one')] } : undefined,
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ server: 'the resolver 127.0.0.1' });
    expect(takeAsked()).toEqual([
      '127.0.0.1 SOA shop.test recursive',
      '127.0.0.1 SOA test recursive',
      `127.0.0.1 TXT ${name} recursive`,
    ]);
  });

  it('is passed over for the next one when it fails, but not when the name is missing', async () => {
    const missing: Respond = (question) =>
      question.type === 'SOA'
        ? { rcode: 'NXDOMAIN', authorities: [soa('shop.test')] }
        : resolving(['ns.shop.test'], {}, [a('ns.shop.test', '127.0.1.2')])(question);
    const { dns, takeAsked } = await startScriptedServers(
      { '127.0.0.1': failing, '127.0.1.1': missing, '127.0.1.2': serving },
      { resolverAddresses: ['127.0.0.1', '127.0.1.1'] },
    );
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found' });
    expect(takeAsked()).toEqual([
      '127.0.0.1 SOA shop.test recursive',
      '127.0.1.1 SOA shop.test recursive',
      '127.0.0.1 NS shop.test recursive',
      '127.0.1.1 NS shop.test recursive',
      `127.0.1.2 TXT ${name}`,
    ]);
  });

  it('is passed over when nothing listens at its address', async () => {
    const { dns } = await startScriptedServers(
      { '127.0.1.1': resolving(['ns.shop.test'], {}, [a('ns.shop.test', '127.0.1.2')]), '127.0.1.2': serving },
      { resolverAddresses: ['127.0.0.1', '127.0.1.1'], timeoutMs: 200 },
    );
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found' });
  });
});

describe('a resolver that is not recursive', () => {
  const root: Respond = () => referral('test', '127.0.1.1');
  const top: Respond = () => referral('shop.test', '127.0.1.2');

  it('leads down to the zone, by the servers that each one refers to', async () => {
    const { dns, takeAsked } = await startScriptedServers({
      '127.0.0.1': root,
      '127.0.1.1': top,
      '127.0.1.2': serving,
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', server: 'ns.shop.test (127.0.1.2)' });
    expect(takeAsked()).toEqual([
      '127.0.0.1 SOA shop.test recursive',
      '127.0.1.1 SOA shop.test',
      '127.0.1.2 SOA shop.test',
      `127.0.1.2 TXT ${name}`,
    ]);
  });

  it('leads to the last server that has no answer and refers to none', async () => {
    const { dns } = await startScriptedServers({
      '127.0.0.1': root,
      '127.0.1.1': ({ type }) => (type === 'TXT' ? found : undefined),
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', server: 'ns.test (127.0.1.1)' });
  });

  it.each([
    ['elsewhere', 'other.test'],
    ['above', 'test'],
    ['below the name', 'x.shop.test'],
  ])('is not followed to a zone %s', async (_, zone) => {
    const { dns, takeAsked } = await startScriptedServers({
      '127.0.0.1': root,
      '127.0.1.1': ({ type }) => (type === 'TXT' ? found : referral(zone, '127.0.1.2')),
      '127.0.1.2': serving,
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ server: 'ns.test (127.0.1.1)' });
    expect(takeAsked().filter((line) => line.startsWith('127.0.1.2'))).toEqual([]);
  });

  it('leads to the address of a server by the servers of its own zone', async () => {
    const { dns, takeAsked } = await startScriptedServers({
      '127.0.0.1': ({ name: asked }) =>
        asked.endsWith('ns.other') ? referral('other', '127.0.1.1') : { authorities: [ns('test', 'ns.other')] },
      '127.0.1.1': ({ type }) => ({
        authoritative: true,
        ...(type === 'SOA' && { authorities: [soa('other')] }),
        ...(type === 'A' && { answers: [a('ns.other', '127.0.1.2')] }),
      }),
      '127.0.1.2': serving,
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', server: 'ns.other (127.0.1.2)' });
    expect(takeAsked()).toEqual([
      '127.0.0.1 SOA shop.test recursive',
      '127.0.0.1 A ns.other recursive',
      '127.0.0.1 SOA ns.other recursive',
      '127.0.1.1 SOA ns.other',
      '127.0.1.1 A ns.other',
      '127.0.1.1 AAAA ns.other',
      '127.0.1.2 SOA shop.test',
      `127.0.1.2 TXT ${name}`,
    ]);
  });

  it('ends when servers are named in zones whose servers are named elsewhere, again and again', async () => {
    let count = 0;
    const { dns, takeAsked } = await startScriptedServers({
      '127.0.0.1': ({ name: asked, type }) =>
        type === 'SOA' ? { authorities: [ns(asked, `ns.zone${(count += 1)}`)] } : { answers: [] },
    });
    expect(await dns.lookupTxt('_service.shop')).toMatchObject({ outcome: 'absent', server: 'the resolver 127.0.0.1' });
    expect(takeAsked().filter((line) => line.includes(' SOA '))).toEqual([
      '127.0.0.1 SOA shop recursive',
      '127.0.0.1 SOA ns.zone1 recursive',
      '127.0.0.1 SOA ns.zone2 recursive',
      '127.0.0.1 SOA ns.zone3 recursive',
    ]);
  });
});

describe('the servers of a zone', () => {
  it('are at most six, the first address of each before the second of any', async () => {
    const hosts = ['ns1.shop.test', 'ns2.shop.test', 'ns3.shop.test', 'ns4.shop.test', 'ns1.shop.test'];
    const glue = hosts
      .slice(0, 4)
      .flatMap((host, index) => [a(host, `127.0.1.${index + 1}`), a(host, `127.0.1.${index + 11}`)]);
    const addresses = [1, 2, 3, 4].flatMap((number) => [`127.0.1.${number}`, `127.0.1.${number + 10}`]);
    const script = Object.fromEntries(addresses.map((address): [string, Respond] => [address, failing]));
    const { dns, takeAsked } = await startScriptedServers({ '127.0.0.1': resolving(hosts, {}, glue), ...script });
    await dns.lookupTxt(name);
    const asked = takeAsked().filter((line) => line.startsWith('127.0.1.'));
    expect(asked.map((line) => line.split(' ')[0]).toSorted()).toEqual([
      '127.0.1.1',
      '127.0.1.11',
      '127.0.1.12',
      '127.0.1.2',
      '127.0.1.3',
      '127.0.1.4',
    ]);
  });

  it('are looked up for at most six names', async () => {
    const hosts = Array.from({ length: 8 }, (_, index) => `ns${index}.other.test`);
    const { dns, takeAsked } = await startScriptedServers({ '127.0.0.1': resolving(hosts) });
    await dns.lookupTxt(name);
    expect(new Set(takeAsked().filter((line) => line.includes(' A ns')))).toHaveLength(6);
  });

  it('are not asked when the installation does not allow their addresses, however they are named', async () => {
    for (const [nameServer, additionals] of [
      ['ns.shop.test', [a('ns.shop.test', '127.0.1.1')]],
      ['ns.other.test', []],
    ] as const) {
      const { dns, takeAsked } = await startScriptedServers(
        {
          '127.0.0.1': resolving([nameServer], { [nameServer]: ['127.0.1.1'] }, [...additionals]),
          '127.0.1.1': serving,
        },
        { allowedInside: [{ range: '127.0.0.1/32' }] },
      );
      await dns.lookupTxt(name);
      expect(takeAsked().filter((line) => line.startsWith('127.0.1.1'))).toEqual([]);
    }
  });
});

describe('what is known of a zone', () => {
  const resolver = resolving(['ns.shop.test'], {}, [a('ns.shop.test', '127.0.1.1')]);

  it('is kept for the next lookup, and for other names of the zone', async () => {
    const { dns, takeAsked } = await startScriptedServers({ '127.0.0.1': resolver, '127.0.1.1': serving });
    await dns.lookupTxt(name);
    takeAsked();
    await dns.lookupTxt(name);
    expect(takeAsked()).toEqual([`127.0.1.1 TXT ${name}`]);
    await dns.lookupTxt('_service.www.shop.test');
    expect(takeAsked()).toEqual(['127.0.0.1 SOA www.shop.test recursive', '127.0.1.1 TXT _service.www.shop.test']);
  });

  it('is found again with allServers', async () => {
    const { dns, takeAsked } = await startScriptedServers({ '127.0.0.1': resolver, '127.0.1.1': serving });
    await dns.lookupTxt(name);
    takeAsked();
    await dns.lookupTxt(name, { allServers: true });
    expect(takeAsked()).toEqual([
      '127.0.0.1 SOA shop.test recursive',
      '127.0.0.1 NS shop.test recursive',
      `127.0.1.1 TXT ${name}`,
    ]);
  });

  it('is found again when its servers did not answer', async () => {
    const replies = [undefined, undefined, found];
    const { dns, takeAsked } = await startScriptedServers({
      '127.0.0.1': resolver,
      '127.0.1.1': () => replies.shift(),
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'unknown' });
    takeAsked();
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found' });
    expect(takeAsked()).toContain('127.0.0.1 NS shop.test recursive');
  });

  it('is looked for again when there was none', async () => {
    let isAway = true;
    const { dns } = await startScriptedServers({
      '127.0.0.1': (question) => (isAway ? undefined : resolver(question)),
      '127.0.1.1': serving,
    });
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'unknown' });
    isAway = false;
    expect(await dns.lookupTxt(name)).toMatchObject({ outcome: 'found', authoritative: true });
  });
});
