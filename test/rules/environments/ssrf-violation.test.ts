import { expect, it } from 'vitest';
import { ssrfViolation } from '../../../src/rules/environments/ssrf-violation.ts';

const zoneUrls = ['http://hello-rc.localhost:8081', 'http://hello.hello-rc.svc.cluster.local'];
const isAllowed = (url: string, ...resolvedAddresses: string[]): boolean =>
  ssrfViolation({ url, resolvedAddresses, zoneUrls, allowedInside: [] }) === undefined;

it.each([
  ['http://hello-rc.localhost:8081/healthz', '127.0.0.1'],
  ['http://hello.hello-rc.svc.cluster.local/', '10.96.3.4'],
  ['http://hello.hello-rc.svc.cluster.local/', 'fd12:3456::1'],
  ['http://hello.hello-rc.svc.cluster.local/', '100.64.0.9'],
  ['https://shop.example.com/', '93.184.216.34'],
  ['https://shop.example.com/', '2606:2800:220:1:248:1893:25c8:1946'],
])('allows %s at %s', (url, address) => {
  expect(isAllowed(url, address)).toBe(true);
});

it.each([
  // The address of another zone, another port and another scheme do not belong to the zone.
  ['http://other-rc.localhost:8081/', '127.0.0.1'],
  ['http://hello-rc.localhost:7233/', '127.0.0.1'],
  ['https://hello-rc.localhost:8081/', '127.0.0.1'],
  ['http://other.other-rc.svc.cluster.local/', '10.96.3.5'],
  ['http://hello.hello-rc.svc.cluster.local:8080/', '10.96.3.4'],
  ['http://rebinding.example/', '10.0.0.1'],
  ['http://rebinding.example/', '192.168.1.1'],
  ['http://rebinding.example/', '172.16.0.1'],
  ['http://rebinding.example/', '127.0.0.1'],
  ['http://rebinding.example/', '0.0.0.0'],
  ['http://rebinding.example/', '::1'],
  ['http://rebinding.example/', '::'],
  ['http://rebinding.example/', '::ffff:127.0.0.1'],
  ['http://rebinding.example/', '::ffff:10.0.0.1'],
  ['http://rebinding.example/', '64:ff9b::7f00:1'],
  ['http://rebinding.example/', '2002:7f00:1::'],
  ['http://rebinding.example/', 'fe80::1'],
  ['http://rebinding.example/', 'fd00::1'],
  ['http://rebinding.example/', '224.0.0.1'],
  ['http://rebinding.example/', '255.255.255.255'],
  ['http://rebinding.example/', '168.63.129.16'],
  ['http://169.254.169.254/', '169.254.169.254'],
  // Metadata addresses are forbidden for the zone's own names too.
  ['http://hello.hello-rc.svc.cluster.local/', '169.254.169.254'],
  ['http://hello.hello-rc.svc.cluster.local/', '100.100.100.200'],
  ['http://hello.hello-rc.svc.cluster.local/', 'fd00:ec2::254'],
  ['http://hello.hello-rc.svc.cluster.local/', '0.0.0.0'],
  ['http://rebinding.example/', 'not-an-address'],
])('forbids %s at %s', (url, address) => {
  expect(isAllowed(url, address)).toBe(false);
});

it('forbids a name with one forbidden address, or without any', () => {
  expect(isAllowed('https://shop.example.com/', '93.184.216.34', '10.0.0.1')).toBe(false);
  expect(isAllowed('https://shop.example.com/')).toBe(false);
});

it('describes a host inside and an unknown one in the same words, without an address', () => {
  const site = { url: 'https://kubernetes.default.svc/', zoneUrls, allowedInside: [] };
  const inside = ssrfViolation({ ...site, resolvedAddresses: ['10.96.0.1'] });
  expect(inside).toBe(ssrfViolation({ ...site, resolvedAddresses: [] }));
  expect(inside).not.toContain('10.96');
});

it('allows a destination inside that the operator listed, but no metadata service', () => {
  const allowedInside = [{ host: 'shop.corp', port: 8443 }];
  const judge = (url: string, address: string) =>
    ssrfViolation({ url, resolvedAddresses: [address], zoneUrls, allowedInside });
  expect(judge('https://shop.corp:8443/', '10.1.2.3')).toBeUndefined();
  expect(judge('https://shop.corp/', '10.1.2.3')).toBeDefined();
  expect(judge('https://shop.corp:8443/', '169.254.169.254')).toBeDefined();
});
