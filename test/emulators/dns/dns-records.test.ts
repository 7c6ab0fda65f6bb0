import { expect, it } from 'vitest';
import { DnsRecords } from '../../../src/emulators/dns/dns-records.ts';

const records = new DnsRecords();
records.set('shop', [
  { dnsName: 'Shop.example.test', recordType: 'A', targets: ['192.0.2.1', '192.0.2.2'], recordTTL: 30 },
  { dnsName: 'a.deep.example.test', recordType: 'TXT', targets: ['text'] },
]);
records.set('wildcard', [{ dnsName: '*.example.test', recordType: 'CNAME', targets: ['edge.example.test'] }]);

it.each([
  ['shop.example.test', 'A', true, ['192.0.2.1', '192.0.2.2']],
  ['shop.example.test', 'TXT', true, []],
  ['a.deep.example.test', 'TXT', true, ['text']],
  ['any.example.test', 'A', true, ['edge.example.test']],
  ['sub.shop.example.test', 'A', false, []],
  ['deep.example.test', 'A', true, ['edge.example.test']],
  ['other.test', 'A', false, []],
])('looks up %s %s', (name, type, exists, data) => {
  const result = records.lookup(name, type);
  expect(result.exists).toBe(exists);
  expect(result.answers.map((answer) => 'data' in answer && answer.data)).toEqual(data);
});

it('reports a name without records as existing when a record below it exists', () => {
  const tree = new DnsRecords();
  tree.set('one', [{ dnsName: 'a.b.example.test', recordType: 'A', targets: ['192.0.2.1'] }]);
  expect(tree.lookup('b.example.test', 'A')).toEqual({ exists: true, answers: [] });
});

it('removes the records of a deleted DNSEndpoint', () => {
  const changing = new DnsRecords();
  changing.set('one', [{ dnsName: 'a.example.test', recordType: 'A', targets: ['192.0.2.1'] }]);
  changing.set('one', undefined);
  expect(changing.lookup('a.example.test', 'A')).toEqual({ exists: false, answers: [] });
});
