import ipaddr from 'ipaddr.js';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import type { NetworkPolicy } from '../../../src/kinds/kubernetes.ts';
import {
  buildNetworkPolicySpec,
  zoneNetworkPolicySpec,
  type NetworkSettings,
} from '../../../src/rules/environments/network-policies.ts';

const defaults = loadConfig({}).network;
const policies: [string, (settings: NetworkSettings) => NetworkPolicy['spec']][] = [
  ['zones', zoneNetworkPolicySpec],
  ['builds', buildNetworkPolicySpec],
];

const contains = (cidr: string, address: string): boolean => {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  const ip = ipaddr.parse(address);
  return ip.kind() === network.kind() && ip.match([network as ipaddr.IPv4, bits]);
};
/** Returns whether a rule for addresses allows a connection, as the cluster's network would decide. */
const allows = ({ egress = [] }: NetworkPolicy['spec'], address: string): boolean =>
  egress
    .flatMap(({ to }) => to)
    .some(
      ({ ipBlock }) =>
        ipBlock !== undefined &&
        contains(ipBlock.cidr, address) &&
        !(ipBlock.except ?? []).some((cidr) => contains(cidr, address)),
    );

const inside = [
  '10.0.0.1',
  '10.96.0.10',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '169.254.169.254',
  '169.254.170.23',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fe80::1',
  'fc00::1',
  '::1',
  '64:ff9b::a00:1',
  '2002:a00:1::',
];

it.each(policies)('keep %s from private, link-local and metadata addresses, and allow public ones', (_, build) => {
  const spec = build(defaults);
  expect(inside.filter((address) => allows(spec, address))).toEqual([]);
  expect(['1.1.1.1', '140.82.112.3', '2606:4700::1111'].filter((address) => !allows(spec, address))).toEqual([]);
  expect(spec).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
});

it.each(policies)('keep %s from public addresses that the operator blocks', (_, build) => {
  const spec = build({ ...defaults, blockedCidrs: ['203.0.113.0/24', '2001:db8::/32'] });
  expect([allows(spec, '203.0.113.7'), allows(spec, '2001:db8::7'), allows(spec, '1.1.1.1')]).toEqual([
    false,
    false,
    true,
  ]);
});

it('let zones reach the inside addresses that the operator allows, and builds only those', () => {
  const zone = zoneNetworkPolicySpec({ ...defaults, zoneAllowedCidrs: ['10.1.2.0/24'] });
  expect([allows(zone, '10.1.2.3'), allows(zone, '10.1.3.3')]).toEqual([true, false]);
  const build = buildNetworkPolicySpec({ ...defaults, buildAllowedCidrs: ['10.1.2.0/24'] });
  expect([allows(build, '10.1.2.3'), allows(build, '1.1.1.1')]).toEqual([true, false]);
});

it('let only the gateway, the service and pods of the same zone connect to a zone, and nothing to a build', () => {
  const { zoneSources } = loadConfig({ GATEWAY_NAMESPACES: 'traefik', SERVICE_ACCOUNT: 'delivery/service' }).network;
  expect(zoneNetworkPolicySpec({ ...defaults, zoneSources }).ingress).toEqual([
    {
      from: [
        { podSelector: {} },
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'traefik' } } },
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'delivery' } } },
      ],
    },
  ]);
  expect(defaults.zoneSources).toEqual(['ingress-nginx', 'service-system']);
  expect(buildNetworkPolicySpec(defaults).ingress).toEqual([]);
});
