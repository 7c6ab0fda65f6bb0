import { BlockList, isIPv6 } from 'node:net';

/** Published at cloudflare.com/ips; unchanged since 2021. */
const ranges = [
  '173.245.48.0/20 103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 141.101.64.0/18 108.162.192.0/18 190.93.240.0/20',
  '188.114.96.0/20 197.234.240.0/22 198.41.128.0/17 162.158.0.0/15 104.16.0.0/13 104.24.0.0/14 172.64.0.0/13',
  '131.0.72.0/22 2400:cb00::/32 2606:4700::/32 2803:f800::/32 2405:b500::/32 2405:8100::/32 2a06:98c0::/29',
  '2c0f:f248::/32',
].flatMap((line) => line.split(' '));

const blockList = new BlockList();
for (const range of ranges) {
  const [network = '', bits = '0'] = range.split('/');
  blockList.addSubnet(network, Number(bits), isIPv6(network) ? 'ipv6' : 'ipv4');
}

/** Returns whether an address belongs to Cloudflare's proxy, which hides the address of the origin. */
export const isCloudflareAddress = (address: string): boolean =>
  blockList.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
