import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { AUTHORITATIVE_ANSWER, type DecodedPacket, type Packet, decode, encode } from 'dns-packet';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDns } from '../../../src/integrations/dns/create-dns.ts';
import type { Dns } from '../../../src/integrations/dns/dns.ts';
import {
  type Knot,
  describeWithKnot,
  getFreeUdpPort,
  startKnot,
  startResolver,
} from '../../support/servers/dns-servers.ts';
import { answerServerFailure, referToTcp, startFakeDnsServer } from '../../support/servers/fake-dns-server.ts';

/** The name servers of the tests listen on loopback. */
const allowedInside = [{ range: '127.0.0.0/8' }];
/** Every server answers, but on a busy machine only after seconds. */
const timeouts = { timeoutMs: 60_000, lookupTimeoutMs: 60_000 };
const now = (): Date => new Date();
const long = 'service-verify='.padEnd(700, 'x');
const chunked = (long.match(/.{1,250}/g) ?? []).map((chunk) => `"${chunk}"`).join(' ');
const many = Array.from({ length: 40 }, (_, index) => `_service.many TXT "other-${index}=${'y'.repeat(60)}"`).join(
  '\n',
);

// These names belong to the server of the root zone.
const top = `
_service.found TXT "service-verify=one"
_service.several TXT "v=spf1 -all"
_service.several TXT "service-verify=one"
_service.chunked TXT ${chunked}
${many}
_service.many TXT "service-verify=one"
*.wild CNAME elsewhere
elsewhere TXT "service-verify=one"
_service.xn--mnchen-3ya TXT "service-verify=one"
multi A 192.0.2.1
multi A 192.0.2.2
multi AAAA 2001:db8::1
six AAAA 2001:db8::6
alias CNAME second.other
second.other CNAME multi
loop CNAME pool
pool CNAME loop
_service.text-only TXT "x"
caa CAA 0 issue "letsencrypt.org"
under.caa A 192.0.2.1
caa-own.caa CAA 0 issue ";"
caa-alias CNAME target.caa-of-target
target.caa-of-target A 192.0.2.1
caa-of-target CAA 0 issue ";"
caa-direct CNAME has-caa
has-caa CAA 128 issuewild "other.example"
lame NS ns.lame
ns.lame A 127.0.0.3
broken NS ns.broken
ns.broken A 127.0.0.3
child NS ns1.child
child NS ns2.child
ns1.child A 127.0.0.2
ns2.child A 127.0.0.3
cached NS ns.cached
ns.cached A 127.0.0.6
glueless NS ns.elsewhere-named
ns.elsewhere-named A 127.0.0.2
half NS ns.half
half NS ns2.half
ns.half A 127.0.0.7
ns2.half A 127.0.0.2
inside NS ns.inside
ns.inside A 127.0.0.9
glueless-inside NS inside-server
inside-server A 127.0.0.9
inside-alias CNAME www.inside
signed NS ns.signed
ns.signed A 127.0.0.2
deep NS ns.deep
ns.deep A 127.0.0.2
`;

describeWithKnot('createDns with real DNS servers', () => {
  let port: number;
  let knots: Knot[] = [];
  let dns: Dns;
  const started: Dns[] = [];
  const ask = (resolvers: string[]): Dns => {
    const made = createDns({ resolvers, port, ...timeouts, allowedInside, now });
    started.push(made);
    return made;
  };

  beforeAll(async () => {
    port = await getFreeUdpPort('127.0.0.1');
    const at = { port };
    const [above, second, third] = await Promise.all([
      startKnot({ ...at, zones: [{ name: 'test.', records: top }] }),
      startKnot({
        ...at,
        address: '127.0.0.2',
        zones: [
          {
            name: 'child.test.',
            records: '@ NS ns1\n@ NS ns2\nns1 A 127.0.0.2\nns2 A 127.0.0.3\n_service TXT "service-verify=one"',
          },
          { name: 'glueless.test.', records: '@ NS ns.elsewhere-named.test.\n_service TXT "service-verify=one"' },
          { name: 'half.test.', records: '_service TXT "service-verify=one"' },
          { name: 'signed.test.', records: '_service TXT "service-verify=one"\n@ A 192.0.2.1', signed: true },
          { name: 'deep.test.', records: '_service NS ns._service\nns._service A 127.0.0.2' },
          { name: '_service.deep.test.', records: '@ TXT "service-verify=one"' },
        ],
      }),
      startKnot({
        ...at,
        address: '127.0.0.3',
        zones: [
          { name: 'child.test.', records: '@ NS ns1\n@ NS ns2\nns1 A 127.0.0.2\nns2 A 127.0.0.3' },
          // The server returns SERVFAIL for a zone whose file is missing.
          { name: 'broken.test.', records: 'no zone at all' },
        ],
      }),
    ]);
    knots = [above, second, third];
    dns = ask([`127.0.0.1:${port}`]);
  });
  afterAll(async () => {
    await Promise.all(started.map(async (one) => await one.close()));
    await Promise.all(knots.map(async (knot) => await knot.stop()));
  });

  const one = ['service-verify=one'];

  it('sends nothing to a name server inside, however a record leads to it', async () => {
    const inside = await startFakeDnsServer({ address: '127.0.0.9', port, answer: answerServerFailure });
    const query = async (allowed: string): Promise<{ received: number; told: string }> => {
      const before = inside.received();
      const options = { resolvers: [`127.0.0.1:${port}`], port, ...timeouts, now };
      const asked = createDns({ ...options, allowedInside: [{ range: allowed }] });
      onTestFinished(async () => await asked.close());
      const seen = [
        await asked.lookupTxt('_service.inside.test'),
        await asked.lookupTxt('_service.glueless-inside.test'),
        await asked.lookupAddresses('inside-alias.test'),
      ];
      expect(seen.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown', 'unknown']);
      return { received: inside.received() - before, told: JSON.stringify(seen) };
    };
    expect(await query('127.0.0.1/32')).toEqual({ received: 0, told: expect.not.stringContaining('127.0.0.9') });
    expect((await query('127.0.0.0/8')).received).toBeGreaterThan(0);
  });

  it('tells no address of the resolver', async () => {
    const resolvers = [`127.0.0.1:${port}`];
    const hidden = createDns({ resolvers, port, ...timeouts, allowedInside: [], now });
    onTestFinished(async () => await hidden.close());
    const seen = await hidden.lookupTxt('_service.found.test');
    expect(seen).toMatchObject({ outcome: 'found', authoritative: false, server: 'the resolver' });
  });

  describe('lookupTxt', () => {
    it('returns the records with the server and the time', async () => {
      const startedAt = now().toISOString();
      const seen = await dns.lookupTxt('_service.found.test');
      expect(seen).toMatchObject({
        outcome: 'found',
        records: one,
        authoritative: true,
        server: 'ns.test (127.0.0.1)',
      });
      expect([startedAt, seen.at, now().toISOString()].toSorted()[1]).toBe(seen.at);
    });

    it('ignores the case of the name, and supports IDNs', async () => {
      expect(await dns.lookupTxt('_SERVICE.Found.TEST.')).toMatchObject({ outcome: 'found', records: one });
      expect(await dns.lookupTxt('_service.xn--mnchen-3ya.test')).toMatchObject({ outcome: 'found', records: one });
    });

    it('returns several records', async () => {
      expect((await dns.lookupTxt('_service.several.test')).records.toSorted()).toEqual([...one, 'v=spf1 -all']);
    });

    it('joins the chunks of a record', async () => {
      expect((await dns.lookupTxt('_service.chunked.test')).records).toEqual([long]);
    });

    it('retries a truncated response over TCP', async () => {
      const { records } = await dns.lookupTxt('_service.many.test');
      expect(records).toHaveLength(41);
      expect(records).toContain('service-verify=one');
    });

    it('does not follow aliases, because a wildcard CNAME matches every name', async () => {
      expect(await dns.lookupTxt('_service.wild.test')).toMatchObject({
        outcome: 'absent',
        aliases: ['elsewhere.test'],
      });
      expect(await dns.lookupTxt('_service.x.wild.test')).toMatchObject({ outcome: 'absent', records: [] });
    });

    it('returns absent for a missing name or record type', async () => {
      expect(await dns.lookupTxt('_service.nothing.test')).toMatchObject({
        outcome: 'absent',
        response: 'says NXDOMAIN',
        authoritative: true,
      });
      expect(await dns.lookupTxt('multi.test')).toMatchObject({
        outcome: 'absent',
        response: 'has no TXT',
        authoritative: true,
      });
    });

    it('follows a delegation to servers with names in other zones', async () => {
      expect(await dns.lookupTxt('_service.glueless.test')).toMatchObject({
        outcome: 'found',
        records: one,
        server: 'ns.elsewhere-named.test (127.0.0.2)',
      });
    });

    it('finds a challenge name that is its own zone', async () => {
      expect(await dns.lookupTxt('_service.deep.test')).toMatchObject({ outcome: 'found', records: one });
    });

    it('supports signed zones', async () => {
      expect(await dns.lookupTxt('_service.signed.test')).toMatchObject({ outcome: 'found', records: one });
      expect(await dns.lookupTxt('_service.x.signed.test')).toMatchObject({
        outcome: 'absent',
        response: 'says NXDOMAIN',
      });
      expect(await dns.lookupCaa('signed.test')).toMatchObject({ outcome: 'absent' });
    });

    it('returns the records while one of two servers is down', async () => {
      const down = await startFakeDnsServer({ address: '127.0.0.7', port, answer: referToTcp });
      for (let time = 0; time < 4 || down.received() === 0; time += 1)
        expect(await dns.lookupTxt('_service.half.test')).toMatchObject({ outcome: 'found', records: one });
    });

    it('finds a record with allServers while one of two servers is outdated', async () => {
      for (let time = 0; time < 6; time += 1)
        expect(await dns.lookupTxt('_service.child.test', { allServers: true })).toMatchObject({
          outcome: 'found',
          records: one,
        });
    });
  });

  describe('the outcome unknown', () => {
    it('is returned for SERVFAIL', async () => {
      const seen = await dns.lookupTxt('_service.broken.test');
      expect(seen).toMatchObject({ outcome: 'unknown', records: [], authoritative: false });
      expect(seen.response).toContain('ns.broken.test (127.0.0.3) says SERVFAIL');
    });

    it('is returned for a lame delegation', async () => {
      const seen = await dns.lookupTxt('_service.lame.test');
      expect(seen.outcome).toBe('unknown');
      expect(seen.response).toMatch(
        /ns\.lame\.test \(127\.0\.0\.3\) (says REFUSED|is not authoritative for this zone)/,
      );
    });

    it('is returned when a server is not authoritative', async () => {
      await startFakeDnsServer({
        address: '127.0.0.6',
        port,
        answer: ({ id = 0, questions = [] }) => {
          const answers = questions.map(({ name }) => ({ type: 'TXT' as const, name, data: 'service-verify=one' }));
          return { type: 'response', id, questions, answers };
        },
      });
      const seen = await dns.lookupTxt('_service.cached.test');
      expect(seen).toMatchObject({ outcome: 'unknown', records: [] });
      expect(seen.response).toContain('ns.cached.test (127.0.0.6) is not authoritative for this zone');
    });

    it('is returned when a parent zone returns SERVFAIL for CAA', async () => {
      expect(await dns.lookupCaa('broken.test')).toMatchObject({ outcome: 'unknown' });
    });
  });

  describe('lookupAddresses', () => {
    it('returns all IPv4 and IPv6 addresses', async () => {
      const { outcome, records } = await dns.lookupAddresses('multi.test');
      expect(outcome).toBe('found');
      expect(records.toSorted()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
      expect(await dns.lookupAddresses('six.test')).toMatchObject({ outcome: 'found', records: ['2001:db8::6'] });
    });

    it('follows aliases across zones up to stopAtAlias', async () => {
      const followed = await dns.lookupAddresses('alias.test');
      expect(followed.aliases).toEqual(['second.other.test', 'multi.test']);
      expect(followed.records.toSorted()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
      const stopped = await dns.lookupAddresses('alias.test', { stopAtAlias: 'second.other.test' });
      expect(stopped).toMatchObject({ aliases: ['second.other.test'], records: [] });
    });

    it('returns unknown for a loop of aliases', async () => {
      expect(await dns.lookupAddresses('loop.test')).toMatchObject({
        outcome: 'unknown',
        response: expect.stringContaining('loop'),
      });
    });

    it('returns absent without an address', async () => {
      expect(await dns.lookupAddresses('text-only.test')).toMatchObject({ outcome: 'absent' });
      expect(await dns.lookupAddresses('nothing.test')).toMatchObject({ outcome: 'absent' });
    });
  });

  describe('lookupCaa', () => {
    const letsencrypt = { critical: false, tag: 'issue', value: 'letsencrypt.org' };
    it.each([
      ['of the name itself', 'caa.test', [letsencrypt]],
      ['of the name itself before those above', 'caa-own.caa.test', [{ ...letsencrypt, value: ';' }]],
      ['of the next name above that has any', 'a.b.under.caa.test', [letsencrypt]],
      ['of what an alias leads to', 'caa-direct.test', [{ critical: true, tag: 'issuewild', value: 'other.example' }]],
    ])('are those %s', async (_, name, records) => {
      expect(await dns.lookupCaa(name)).toMatchObject({ outcome: 'found', records });
    });

    it('does not use the parents of an alias target', async () => {
      expect(await dns.lookupCaa('caa-alias.test')).toMatchObject({ outcome: 'absent' });
    });

    it('returns absent when no parent has a record', async () => {
      expect(await dns.lookupCaa('www.multi.test')).toMatchObject({ outcome: 'absent' });
    });
  });

  it('returns a new record while a resolver still caches its absence', async ({ skip }) => {
    const resolver = await startResolver({ address: '127.0.0.1', port, zone: 'test.' });
    if (!resolver) return skip('This machine has no Unbound.');
    onTestFinished(async () => await resolver.stop());
    const behind = ask([resolver.address]);
    const onlyResolver = createDns({ resolvers: [resolver.address], port, ...timeouts, allowedInside: [], now });
    onTestFinished(async () => await onlyResolver.close());

    expect(await onlyResolver.lookupTxt('_service.late.test')).toMatchObject({
      outcome: 'absent',
      authoritative: false,
    });
    expect(await behind.lookupTxt('_service.late.test')).toMatchObject({ outcome: 'absent', authoritative: true });
    await knots[0]?.update('test.', 'add _service.late.test. 60 TXT "service-verify=one"');
    expect(await behind.lookupTxt('_service.late.test')).toMatchObject({ outcome: 'found', records: one });
    expect(await onlyResolver.lookupTxt('_service.late.test')).toMatchObject({
      outcome: 'absent',
      authoritative: false,
    });
    expect(await onlyResolver.lookupTxt('_service.found.test')).toMatchObject({ outcome: 'found', records: one });
  });

  it('returns a new record, and its removal, at the next lookup', async () => {
    expect((await dns.lookupTxt('_service.new.test')).outcome).toBe('absent');
    await knots[0]?.update('test.', 'add _service.new.test. 60 TXT "service-verify=one"');
    expect((await dns.lookupTxt('_service.new.test')).outcome).toBe('found');
    await knots[0]?.update('test.', 'delete _service.new.test. TXT');
    expect((await dns.lookupTxt('_service.new.test')).outcome).toBe('absent');
  });
});

it('retries over TCP when a response does not repeat the case of the name', async () => {
  const toReply = (
    { id = 0, questions = [] }: DecodedPacket,
    text: string,
    spell: (name: string) => string,
  ): Packet => {
    const [{ name, type } = { name: '', type: 'TXT' as const }] = questions;
    const answers =
      type === 'SOA'
        ? [
            {
              type,
              name: 'test',
              data: { mname: 'ns.test', rname: 'h.test', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 },
            },
          ]
        : type === 'NS'
          ? [{ type, name: 'test', data: 'ns.test' }]
          : type === 'A'
            ? [{ type, name, data: '127.0.0.1' }]
            : [{ type: 'TXT' as const, name, data: text }];
    const echoed = [{ name: spell(name), type }];
    return { type: 'response', id, flags: AUTHORITATIVE_ANSWER, questions: echoed, answers };
  };
  const tcp = createServer((socket) =>
    socket.on('data', (data: Buffer) => {
      const message = encode(toReply(decode(data.subarray(2)), 'true', (name) => name));
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      socket.end(Buffer.concat([length, message]));
    }),
  );
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  await startFakeDnsServer({
    port,
    answer: (query) => toReply(query, 'forged', (name) => name.toLowerCase()),
  });
  const dns = createDns({ resolvers: [`127.0.0.1:${port}`], port, ...timeouts, allowedInside, now });
  onTestFinished(async () => {
    await dns.close();
    tcp.close();
  });
  expect((await dns.lookupTxt('a-name-long-enough-to-be-spelled-in-many-ways.test')).records).toEqual(['true']);
});
