import { expect, it } from 'vitest';
import { parseInsideDestination } from '../../../src/rules/network/allowed-inside.ts';
import { destinationViolation } from '../../../src/rules/network/destination-violation.ts';

const judge = (url: string, addresses: string[], ...allowed: string[]): string | undefined => {
  const { protocol, hostname: host, port } = new URL(url);
  const destination = { protocol, host, port: Number(port || (protocol === 'https:' ? 443 : 80)), addresses };
  return destinationViolation(
    allowed.flatMap((text) => parseInsideDestination(text) ?? []),
    destination,
  );
};

it.each<[string, string[], ...string[]]>([
  ['https://models.example.com/v1', ['93.184.216.34']],
  ['https://models.example.com/v1', ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946']],
  ['https://llm.corp:8443/v1', ['10.1.2.3'], 'llm.corp:8443'],
  ['http://llm.corp/v1', ['10.1.2.3'], '10.1.0.0/16'],
  ['http://127.0.0.1:11434/v1', ['127.0.0.1'], '127.0.0.1:11434'],
])('allows %s at %j', (url, addresses, ...allowed) => {
  expect(judge(url, addresses, ...allowed)).toBeUndefined();
});

it.each<[string, string[], ...string[]]>([
  ['https://10.0.0.1/', ['10.0.0.1']],
  ['https://kubernetes.default.svc/', ['10.96.0.1']],
  ['https://x.169.254.169.254.nip.io/', ['169.254.169.254']],
  ['https://loopback.example.com/', ['127.0.0.1']],
  ['https://[::ffff:127.0.0.1]/', ['::ffff:7f00:1']],
  ['https://mixed.example.com/', ['93.184.216.34', '10.0.0.1']],
  ['https://unknown.example.com/', []],
  ['https://llm.corp:9000/', ['10.1.2.3'], 'llm.corp:8443'],
  // A name that the operator listed still never leads to a metadata service.
  ['http://llm.corp/', ['169.254.169.254'], 'llm.corp'],
])('forbids %s at %j', (url, addresses, ...allowed) => {
  expect(judge(url, addresses, ...allowed)).toContain('has no public address');
});

it('requires encryption to public addresses', () => {
  expect(judge('http://models.example.com/v1', ['93.184.216.34'])).toContain('Use https.');
});

it('describes a host inside and an unknown one in the same words, without an address', () => {
  const inside = judge('https://a.svc/', ['10.96.0.1']);
  expect(inside).toBe(judge('https://a.svc/', []));
  expect(inside).not.toContain('10.96');
});
