import { expect, it } from 'vitest';
import type { Dns } from '../../../src/integrations/dns/dns.ts';
import { randomProbeLabel, resolveIngress } from '../../../src/integrations/dns/probe.ts';

const resolve = async (host: string | undefined, addresses: string[]) => {
  const asked: string[] = [];
  const lookupAddresses: Dns['lookupAddresses'] = async (name) => {
    asked.push(name);
    return { records: ['192.0.2.7'] } as Awaited<ReturnType<Dns['lookupAddresses']>>;
  };
  return { ingress: await resolveIngress({ lookupAddresses } as Dns, { host, addresses }), asked };
};

it('looks up the addresses of an ingress of which only the host is configured', async () => {
  expect(await resolve('lb.example.com', [])).toEqual({
    ingress: { host: 'lb.example.com', addresses: ['192.0.2.7'] },
    asked: ['lb.example.com'],
  });
});

it.each([
  ['lb.example.com', ['192.0.2.1']],
  [undefined, ['192.0.2.1']],
  [undefined, []],
])('leaves the ingress %s with the addresses %j as it is', async (host, addresses) => {
  expect(await resolve(host, addresses)).toEqual({ ingress: { host, addresses }, asked: [] });
});

it('draws another label each time', () => {
  expect(randomProbeLabel()).toMatch(/^service-check-[0-9a-f]{8}$/);
  expect(randomProbeLabel()).not.toBe(randomProbeLabel());
});
