import { describe, expect, it } from 'vitest';
import { egressViolation, registryEgressViolation } from '../../../src/rules/network/egress-violation.ts';

const inside = [{ host: 'npm.internal', port: 4873 }, { range: '10.1.0.0/16' }];
const judge = (host: string, port: number, ...addresses: string[]) =>
  egressViolation(inside, { host, port, addresses });

describe('egressViolation', () => {
  it.each([
    ['example.com', 443, ['93.184.216.34']],
    ['example.com', 80, ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946']],
    ['npm.internal', 4873, ['10.9.9.9']],
    ['anything', 8080, ['10.1.2.3']],
  ])('allows %s:%i at %j', (host, port, addresses) => {
    expect(judge(host, port, ...addresses)).toBeUndefined();
  });

  it.each([
    ['localhost', ['127.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['10.0.0.1.nip.io', ['10.0.0.1']],
    ['mapped', ['::ffff:127.0.0.1']],
    ['half', ['93.184.216.34', '127.0.0.1']],
    ['nowhere', []],
  ])('gives the same words for %s at %j', (host, addresses) => {
    expect(judge(host, 443, ...addresses)).toBe(`The host ${host} has no public address.`);
  });

  it('closes all ports but those of the web', () => {
    expect(judge('example.com', 22, '93.184.216.34')).toBe(
      'Port 22 of example.com is closed: only ports 80 and 443 are open.',
    );
    expect(judge('npm.internal', 22, '10.9.9.9')).toBe('The host npm.internal has no public address.');
  });
});

describe('registryEgressViolation', () => {
  const registry = { host: 'npm.internal', port: 4873 };
  const judgeBuild = (host: string, port: number, ...addresses: string[]) =>
    registryEgressViolation(registry, { host, port, addresses });

  it('allows the registry wherever the operator runs it, but not at a metadata address', () => {
    expect(judgeBuild('npm.internal', 4873, '127.0.0.1')).toBeUndefined();
    expect(judgeBuild('NPM.internal', 4873, '203.0.113.80')).toBeUndefined();
    expect(judgeBuild('npm.internal', 4873, '169.254.169.254')).toBe('The registry npm.internal has no address.');
    expect(judgeBuild('npm.internal', 4873)).toBe('The registry npm.internal has no address.');
  });

  it.each([
    ['npm.internal', 22, '10.9.9.9'],
    ['example.com', 443, '93.184.216.34'],
    ['localhost', 4873, '127.0.0.1'],
  ])('refuses %s:%i at %s', (host, port, address) => {
    expect(judgeBuild(host, port, address)).toBe('A build can reach only the registry npm.internal.');
  });
});
