import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDns } from '../../../src/integrations/dns/create-dns.ts';
import type { Dns } from '../../../src/integrations/dns/dns.ts';
import { type Knot, describeWithKnot, freeUdpPort, startKnot, startResolver } from '../../support/dns-servers.ts';

const long = 'service-verify='.padEnd(700, 'x');
const chunked = (long.match(/.{1,250}/g) ?? []).map((chunk) => `"${chunk}"`).join(' ');
const many = Array.from({ length: 40 }, (_, index) => `_service.many TXT "other-${index}=${'y'.repeat(60)}"`).join(
  '\n',
);

// Names directly under the top, of the server that has the top.
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
silent NS ns.silent
ns.silent A 127.0.0.4
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
signed NS ns.signed
ns.signed A 127.0.0.2
deep NS ns.deep
ns.deep A 127.0.0.2
`;

describeWithKnot('what DNS says, at the servers of the zone', () => {
  let port: number;
  let knots: Knot[] = [];
  let dns: Dns;
  const started: Dns[] = [];
  const ask = (resolvers: string[]): Dns => {
    const made = createDns({ resolvers, port, timeoutMs: 400, now: () => new Date() });
    started.push(made);
    return made;
  };

  beforeAll(async () => {
    port = await freeUdpPort('127.0.0.1');
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
          // Says SERVFAIL: the zone is configured, and cannot be read.
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

  describe('ownership', () => {
    it('is found, with who said so and when', async () => {
      const seen = await dns.texts('_service.found.test');
      expect(seen).toMatchObject({
        outcome: 'found',
        records: one,
        authoritative: true,
        server: 'ns.test (127.0.0.1)',
      });
      expect(Date.now() - Date.parse(seen.at)).toBeLessThan(5_000);
    });

    it('is found whatever the case of the name, and by the name that an IDN goes by', async () => {
      expect(await dns.texts('_SERVICE.Found.TEST.')).toMatchObject({ outcome: 'found', records: one });
      expect(await dns.texts('_service.xn--mnchen-3ya.test')).toMatchObject({ outcome: 'found', records: one });
    });

    it('is any of several texts', async () => {
      expect((await dns.texts('_service.several.test')).records.toSorted()).toEqual([...one, 'v=spf1 -all']);
    });

    it('is joined of its chunks', async () => {
      expect((await dns.texts('_service.chunked.test')).records).toEqual([long]);
    });

    it('is read by TCP where the answer does not fit into a packet', async () => {
      const { records } = await dns.texts('_service.many.test');
      expect(records).toHaveLength(41);
      expect(records).toContain('service-verify=one');
    });

    it('is not what an alias leads to: a wildcard CNAME answers for every name', async () => {
      expect(await dns.texts('_service.wild.test')).toMatchObject({ outcome: 'absent', aliases: ['elsewhere.test'] });
      expect(await dns.texts('_service.x.wild.test')).toMatchObject({ outcome: 'absent', records: [] });
    });

    it('is absent where the zone says that there is no such name, or nothing of that type', async () => {
      expect(await dns.texts('_service.nothing.test')).toMatchObject({
        outcome: 'absent',
        said: 'says NXDOMAIN',
        authoritative: true,
      });
      expect(await dns.texts('multi.test')).toMatchObject({
        outcome: 'absent',
        said: 'has no TXT',
        authoritative: true,
      });
    });

    it('is found beyond a delegation, with servers whose names stand elsewhere', async () => {
      expect(await dns.texts('_service.glueless.test')).toMatchObject({
        outcome: 'found',
        records: one,
        server: 'ns.elsewhere-named.test (127.0.0.2)',
      });
    });

    it('is found where the challenge name is a zone of its own', async () => {
      expect(await dns.texts('_service.deep.test')).toMatchObject({ outcome: 'found', records: one });
    });

    it('is found in a signed zone, and its absence is', async () => {
      expect(await dns.texts('_service.signed.test')).toMatchObject({ outcome: 'found', records: one });
      expect(await dns.texts('_service.x.signed.test')).toMatchObject({ outcome: 'absent', said: 'says NXDOMAIN' });
      expect(await dns.certificateAuthorities('signed.test')).toMatchObject({ outcome: 'absent' });
    });

    it('is found although one of two servers is away', async () => {
      for (let time = 0; time < 4; time += 1)
        expect(await dns.texts('_service.half.test')).toMatchObject({ outcome: 'found', records: one });
    });

    it('is found by a thorough look although one of two servers lags behind', async () => {
      for (let time = 0; time < 6; time += 1)
        expect(await dns.texts('_service.child.test', { thorough: true })).toMatchObject({
          outcome: 'found',
          records: one,
        });
    });
  });

  describe('unknown is not absent', () => {
    it('where the server says SERVFAIL', async () => {
      const seen = await dns.texts('_service.broken.test');
      expect(seen).toMatchObject({ outcome: 'unknown', records: [], authoritative: false });
      expect(seen.said).toContain('ns.broken.test (127.0.0.3) says SERVFAIL');
    });

    it('where no server answers in time, and that ends', async () => {
      const startedAt = performance.now();
      const seen = await dns.texts('_service.silent.test');
      expect(seen).toMatchObject({ outcome: 'unknown' });
      expect(seen.said).toContain('ns.silent.test (127.0.0.4) did not answer within 400 ms');
      expect(performance.now() - startedAt).toBeLessThan(6_000);
    });

    it('where a server has been away for some questions, without waiting for each of them', async () => {
      const names = Array.from({ length: 40 }, (_, index) => `_service.n${index}.silent.test`);
      await Promise.all(names.slice(0, 3).map(async (name) => await dns.texts(name)));
      const startedAt = performance.now();
      for (const name of names) expect((await dns.texts(name)).outcome).toBe('unknown');
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    });

    it('where the delegation is lame', async () => {
      const seen = await dns.texts('_service.lame.test');
      expect(seen.outcome).toBe('unknown');
      expect(seen.said).toMatch(/ns\.lame\.test \(127\.0\.0\.3\) (says REFUSED|does not answer for this zone)/);
    });

    it('where a server only repeats what it was told, and does not speak for the zone', async () => {
      const cache = createSocket('udp4').on('message', (data, from) => {
        const { id = 0, questions = [] } = decode(data);
        const answers = questions.map(({ name }) => ({ type: 'TXT' as const, name, data: 'service-verify=one' }));
        cache.send(encode({ type: 'response', id, questions, answers }), from.port, from.address);
      });
      cache.bind(port, '127.0.0.6');
      await once(cache, 'listening');
      onTestFinished(() => void cache.close());
      const seen = await dns.texts('_service.cached.test');
      expect(seen).toMatchObject({ outcome: 'unknown', records: [] });
      expect(seen.said).toContain('ns.cached.test (127.0.0.6) does not answer for this zone');
    });

    it('where nobody can be asked at all', async () => {
      const nobody = ask(['127.0.0.5:9']);
      expect(await nobody.texts('_service.found.test')).toMatchObject({ outcome: 'unknown' });
    });

    it('where the servers above say SERVFAIL for a CAA', async () => {
      expect(await dns.certificateAuthorities('broken.test')).toMatchObject({ outcome: 'unknown' });
    });
  });

  describe('traffic', () => {
    it('goes to all addresses of both kinds', async () => {
      const { outcome, records } = await dns.addresses('multi.test');
      expect(outcome).toBe('found');
      expect(records.toSorted()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
      expect(await dns.addresses('six.test')).toMatchObject({ outcome: 'found', records: ['2001:db8::6'] });
    });

    it('follows aliases through their zones, as far as it is asked to', async () => {
      const followed = await dns.addresses('alias.test');
      expect(followed.aliases).toEqual(['second.other.test', 'multi.test']);
      expect(followed.records.toSorted()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
      const stopped = await dns.addresses('alias.test', { until: 'second.other.test' });
      expect(stopped).toMatchObject({ aliases: ['second.other.test'], records: [] });
    });

    it('of aliases that lead to each other is unknown', async () => {
      expect(await dns.addresses('loop.test')).toMatchObject({
        outcome: 'unknown',
        said: expect.stringContaining('without end'),
      });
    });

    it('does not resolve where there is no address', async () => {
      expect(await dns.addresses('text-only.test')).toMatchObject({ outcome: 'absent' });
      expect(await dns.addresses('nothing.test')).toMatchObject({ outcome: 'absent' });
    });
  });

  describe('certificate authorities', () => {
    const letsencrypt = { critical: false, tag: 'issue', value: 'letsencrypt.org' };
    it.each([
      ['of the name itself', 'caa.test', [letsencrypt]],
      ['of the name itself before those above', 'caa-own.caa.test', [{ ...letsencrypt, value: ';' }]],
      ['of the next name above that has any', 'a.b.under.caa.test', [letsencrypt]],
      ['of what an alias leads to', 'caa-direct.test', [{ critical: true, tag: 'issuewild', value: 'other.example' }]],
    ])('are those %s', async (_, name, records) => {
      expect(await dns.certificateAuthorities(name)).toMatchObject({ outcome: 'found', records });
    });

    it('are not those above what an alias leads to', async () => {
      expect(await dns.certificateAuthorities('caa-alias.test')).toMatchObject({ outcome: 'absent' });
    });

    it('are any where no name up to the top has a record', async () => {
      expect(await dns.certificateAuthorities('www.multi.test')).toMatchObject({ outcome: 'absent' });
    });
  });

  it('sees a record at once that a resolver still denies', async () => {
    const resolver = await startResolver({ address: '127.0.0.1', port, zone: 'test.' });
    if (!resolver) return;
    onTestFinished(async () => await resolver.stop());
    const behind = ask([resolver.address]);
    const onlyResolver = createDns({ resolvers: [resolver.address], port: 9, timeoutMs: 400, now: () => new Date() });
    onTestFinished(async () => await onlyResolver.close());

    expect(await onlyResolver.texts('_service.late.test')).toMatchObject({ outcome: 'absent', authoritative: false });
    expect(await behind.texts('_service.late.test')).toMatchObject({ outcome: 'absent', authoritative: true });
    await knots[0]?.update('test.', 'add _service.late.test. 60 TXT "service-verify=one"');
    expect(await behind.texts('_service.late.test')).toMatchObject({ outcome: 'found', records: one });
    expect(await onlyResolver.texts('_service.late.test')).toMatchObject({ outcome: 'absent', authoritative: false });
    expect(await onlyResolver.texts('_service.found.test')).toMatchObject({ outcome: 'found', records: one });
  });

  it('sees a record within the next look after it appears, and that it is gone', async () => {
    expect((await dns.texts('_service.new.test')).outcome).toBe('absent');
    await knots[0]?.update('test.', 'add _service.new.test. 60 TXT "service-verify=one"');
    expect((await dns.texts('_service.new.test')).outcome).toBe('found');
    await knots[0]?.update('test.', 'delete _service.new.test. TXT');
    expect((await dns.texts('_service.new.test')).outcome).toBe('absent');
  });
});

it('believes no packet that does not repeat the spelling of the question, and asks by TCP instead', async () => {
  const reply = (question: Buffer, text: string, spell: (name: string) => string): Buffer => {
    const { id, questions = [] } = decode(question);
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
    return encode({
      type: 'response',
      id: id ?? 0,
      flags: AUTHORITATIVE_ANSWER,
      questions: [{ name: spell(name), type }],
      answers,
    });
  };
  const tcp = createServer((socket) =>
    socket.on('data', (data: Buffer) => {
      const message = reply(data.subarray(2), 'true', (name) => name);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      socket.end(Buffer.concat([length, message]));
    }),
  );
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4').on('message', (data, from) =>
    udp.send(
      reply(data, 'forged', (name) => name.toLowerCase()),
      from.port,
      from.address,
    ),
  );
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  const dns = createDns({ resolvers: [`127.0.0.1:${port}`], port, timeoutMs: 500, now: () => new Date() });
  onTestFinished(async () => {
    await dns.close();
    udp.close();
    tcp.close();
  });
  expect((await dns.texts('a-name-long-enough-to-be-spelled-in-many-ways.test')).records).toEqual(['true']);
});
