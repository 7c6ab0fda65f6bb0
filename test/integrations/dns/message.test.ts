import { AUTHORITATIVE_ANSWER, decode, encode, type Packet, TRUNCATED_RESPONSE } from 'dns-packet';
import { describe, expect, it } from 'vitest';
import { decodeReply, encodeQuestion } from '../../../src/integrations/dns/message.ts';

const name = 'www.shop.example';
const question = { name, type: 'A', recursionDesired: true } as const;
const answer = { type: 'A', name: 'WWW.Shop.example', ttl: 60, data: '192.0.2.1' } as const;

describe('encodeQuestion', () => {
  it('asks one question that fits into a packet', () => {
    const { id, bytes, name: spelled } = encodeQuestion(question);
    const packet = decode(bytes);
    expect(packet).toMatchObject({ type: 'query', id, flag_rd: true, flag_ad: false });
    expect(packet.questions).toEqual([{ type: 'A', name: spelled, class: 'IN' }]);
    expect(packet.additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232 }]);
    expect(spelled.toLowerCase()).toBe(name);
  });

  it('asks without EDNS, which old servers reject', () => {
    expect(decode(encodeQuestion(question, { edns: false }).bytes).additionals).toEqual([]);
  });

  it('asks servers of a zone for their own answer only', () => {
    expect(decode(encodeQuestion({ ...question, recursionDesired: false }).bytes)).toMatchObject({ flag_rd: false });
  });

  it('spells the name and numbers the query in a way that cannot be guessed', () => {
    const sent = Array.from({ length: 50 }, () => encodeQuestion(question));
    expect(new Set(sent.map((query) => query.name)).size).toBeGreaterThan(40);
    expect(new Set(sent.map(({ id }) => id)).size).toBeGreaterThan(40);
    const letters = sent.map((query) => query.name).join('');
    for (const kind of [/[a-z]/g, /[A-Z]/g]) expect(letters.match(kind)?.length).toBeGreaterThan(100);
  });
});

describe('decodeReply', () => {
  const sent = encodeQuestion(question);
  const reply = (packet: Packet = {}) =>
    decodeReply(
      encode({ type: 'response', id: sent.id, questions: [{ type: 'A', name: sent.name }], ...packet }),
      sent,
    );

  it('returns the records with their names in lower case', () => {
    const records = { answers: [answer], authorities: [answer], additionals: [answer] };
    const expected = [expect.objectContaining({ name, data: '192.0.2.1' })];
    expect(reply({ ...records, flags: AUTHORITATIVE_ANSWER })).toEqual({
      rcode: 'NOERROR',
      authoritative: true,
      isTruncated: false,
      retryOverTcp: false,
      answers: expected,
      authorities: expected,
      additionals: expected,
    });
    expect(reply()).toMatchObject({ authoritative: false, answers: [] });
    expect(reply({ flags: 3 })).toMatchObject({ rcode: 'NXDOMAIN' });
  });

  it('spells IPv6 addresses as the operating system does', () => {
    const address = { type: 'AAAA', name, data: '2001:db8:0:0:1:0:0:0' } as const;
    const { answers, additionals } = reply({ answers: [address], additionals: [address] }) ?? {};
    const expected = [expect.objectContaining({ data: '2001:db8:0:0:1::' })];
    expect({ answers, additionals }).toEqual({ answers: expected, additionals: expected });
  });

  it.each([
    ['another id', { id: (sent.id + 1) % 65_536 }],
    ['another name', { questions: [{ type: 'A' as const, name: 'other.example' }] }],
    ['a query', { type: 'query' as const }],
  ])('ignores %s', (_name, packet) => {
    expect(reply(packet)).toBeUndefined();
  });

  it('ignores what is no message', () => {
    expect(decodeReply(Buffer.from('no message at all'), sent)).toBeUndefined();
    expect(decodeReply(Buffer.of(), sent)).toBeUndefined();
  });

  it('reads a truncated response that ends within a record, and none that is not truncated', () => {
    const packet = { id: sent.id, questions: [{ type: 'A' as const, name: sent.name }], answers: [answer, answer] };
    const cut = (flags: number) => encode({ type: 'response', ...packet, flags }).subarray(0, -9);
    expect(decodeReply(cut(TRUNCATED_RESPONSE), sent)).toMatchObject({ retryOverTcp: true, answers: [] });
    expect(decodeReply(cut(0), sent)).toBeUndefined();
  });

  it.each([
    ['is truncated', { flags: TRUNCATED_RESPONSE }],
    ['spells the name differently', { questions: [{ type: 'A' as const, name: swapCase(sent.name) }] }],
    ['repeats no question', { questions: [] }],
  ])('is not trusted without TCP if it %s', (_name, packet) => {
    expect(reply(packet)).toMatchObject({ retryOverTcp: true });
  });
});

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
