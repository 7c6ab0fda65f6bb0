import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import ipaddr from 'ipaddr.js';

/** Returns the network that a request comes from: an IPv4 address, or the first 64 bits of an IPv6 address. */
export type ClientAddress = (c: Context) => string;

/**
 * Reads the address of a caller from its connection, and from X-Forwarded-For only as far as trusted proxies wrote it.
 * Each proxy appends the address of its own caller, so the last address that is not a trusted proxy is the caller's.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = createMatcher(trustedProxies);
  return (c) => {
    const hops = (c.req.header('x-forwarded-for') ?? '')
      .split(',')
      .map((hop) => toPlainAddress(removePort(hop.trim())));
    let address = toPlainAddress(getSocketAddress(c));
    while (isTrusted(address) && isIP(hops.at(-1) ?? '') !== 0) address = hops.pop() ?? address;
    return isIPv6(address) ? toNetwork64(address) : address;
  };
}

function createMatcher(cidrs: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/');
    list.addSubnet(network, Number(prefix), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function getSocketAddress(c: Context): string {
  // A call inside the process has no socket, so all such calls share one address.
  return c.env === undefined || !('incoming' in c.env) ? 'in-process' : (getConnInfo(c).remote.address ?? 'unknown');
}

/** Some proxies append the port: `192.0.2.1:49152` or `[2001:db8::1]:49152`. */
const removePort = (hop: string): string => hop.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');

/** A dual-stack socket reports an IPv4 caller as `::ffff:192.0.2.1`, and a proxy may write that as `::ffff:c000:201`. */
function toPlainAddress(address: string): string {
  const [unscoped = ''] = address.split('%', 1);
  return isIPv6(unscoped) ? ipaddr.process(unscoped).toString() : address;
}

/** One subscriber usually holds a whole /64, so its addresses count as one. */
function toNetwork64(address: string): string {
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
