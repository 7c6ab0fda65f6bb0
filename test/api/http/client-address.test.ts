import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createClientAddress } from '../../../api/http/client-address.ts';

/** Returns the address that is counted for a request over a connection from `remoteAddress`. */
async function readAddress(
  trustedProxies: string[],
  { remoteAddress, forwardedFor }: { remoteAddress: string; forwardedFor?: string },
): Promise<string> {
  const clientAddress = createClientAddress(trustedProxies);
  const app = new Hono().get('/', (c) => c.text(clientAddress(c)));
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  const response = await app.request('/', { headers }, { incoming: { socket: { remoteAddress } } });
  return await response.text();
}

describe('the address of a caller', () => {
  it('is that of the connection, whatever the caller claims', async () => {
    const forwardedFor = '203.0.113.9';
    expect(await readAddress([], { remoteAddress: '192.0.2.1', forwardedFor })).toBe('192.0.2.1');
    expect(await readAddress(['10.0.0.0/8'], { remoteAddress: '192.0.2.1', forwardedFor })).toBe('192.0.2.1');
    expect(await readAddress([], { remoteAddress: '::ffff:192.0.2.1' })).toBe('192.0.2.1');
  });

  it('is the last one that a trusted proxy did not have itself', async () => {
    const proxies = ['10.0.0.0/8', 'fd00::/8'];
    const read = async (forwardedFor: string, remoteAddress = '10.0.0.1') =>
      await readAddress(proxies, { remoteAddress, forwardedFor });
    expect(await read('192.0.2.1')).toBe('192.0.2.1');
    expect(await read('1.2.3.4, 192.0.2.1, 10.9.9.9')).toBe('192.0.2.1');
    expect(await read('192.0.2.1', 'fd00::1')).toBe('192.0.2.1');
    expect(await read('192.0.2.1', '::ffff:10.0.0.1')).toBe('192.0.2.1');
    expect(await read('192.0.2.1, made-up')).toBe('10.0.0.1');
    expect(await read('')).toBe('10.0.0.1');
  });

  it('is that without the port that some proxies append', async () => {
    const read = async (forwardedFor: string) =>
      await readAddress(['10.0.0.0/8'], { remoteAddress: '10.0.0.1', forwardedFor });
    expect(await read('1.2.3.4, 192.0.2.1:49152')).toBe('192.0.2.1');
    expect(await read('192.0.2.1:49152, 10.9.9.9:80')).toBe('192.0.2.1');
    expect(await read('[2001:db8:1:2::9]:49152')).toBe('2001:db8:1:2::/64');
    expect(await read('[2001:db8:1:2::9]')).toBe('2001:db8:1:2::/64');
    expect(await read('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(await read('192.0.2.1:made-up')).toBe('10.0.0.1');
  });

  it('is a whole /64 for IPv6, in every spelling', async () => {
    const read = async (remoteAddress: string) => await readAddress([], { remoteAddress });
    expect(await read('2001:db8:1:2:aaaa::1')).toBe('2001:db8:1:2::/64');
    expect(await read('2001:0DB8:0001:0002:bbbb:0:0:9')).toBe('2001:db8:1:2::/64');
    expect(await read('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64');
    expect(await read('2001:db8::3:4:5:6:7')).toBe('2001:db8:0:3::/64');
    expect(await read('::1')).toBe('0:0:0:0::/64');
    expect(await read('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  });

  it('is the IPv4 address in every IPv6 spelling of it', async () => {
    const read = async (forwardedFor: string) =>
      await readAddress(['10.0.0.0/8'], { remoteAddress: '10.0.0.1', forwardedFor });
    for (const spelling of ['::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1', '[::ffff:c000:201]:443'])
      expect(await read(spelling)).toBe('192.0.2.1');
    expect(await read('192.0.2.1, ::ffff:a09:909')).toBe('192.0.2.1');
  });
});
