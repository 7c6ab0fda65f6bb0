import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import type { NetworkPolicy } from '../../../src/kinds/kubernetes.ts';
import {
  buildNetworkPolicySpec,
  zoneNetworkPolicies,
  type NetworkSettings,
} from '../../../src/rules/environments/network-policies.ts';

const defaults = loadConfig({}).network;
const publicZone = (settings: NetworkSettings): NetworkPolicy['spec'] => zoneNetworkPolicies(settings, 'public').zone;
const policies: [string, (settings: NetworkSettings) => NetworkPolicy['spec']][] = [
  ['zones', publicZone],
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
  'fd20:ce::254',
  'fe80::1',
  'fec0::1',
  'fc00::1',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:0:a00:1',
  '64:ff9b::a00:1',
  '64:ff9b:1::a00:1',
  '2001:0:a00:1::',
  '2002:a00:1::',
];

it.each(policies)('keep %s from private, link-local and metadata addresses, and allow public ones', (_, build) => {
  const spec = build(defaults);
  expect(inside.filter((address) => allows(spec, address))).toEqual([]);
  expect(['1.1.1.1', '140.82.112.3', '2606:4700::1111'].filter((address) => !allows(spec, address))).toEqual([]);
  expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
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
  const zone = publicZone({ ...defaults, zoneAllowedCidrs: ['10.1.2.0/24'] });
  expect([allows(zone, '10.1.2.3'), allows(zone, '10.1.3.3')]).toEqual([true, false]);
  const build = buildNetworkPolicySpec({ ...defaults, buildAllowedCidrs: ['10.1.2.0/24'] });
  expect([allows(build, '10.1.2.3'), allows(build, '1.1.1.1')]).toEqual([true, false]);
});

const kubeSystem = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } };
/** The pods of the cluster's DNS, and the cache of a node, whose pod is in the network of the node. */
const dnsRule = {
  to: [
    { ...kubeSystem, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } },
    { ...kubeSystem, podSelector: { matchLabels: { 'k8s-app': 'node-local-dns' } } },
    { ipBlock: { cidr: '169.254.20.10/32' } },
  ],
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
};

it('let apps, gates and builds reach the DNS of a cluster, also where the nodes cache its answers', () => {
  const { zone, 'zone-gate': gate } = zoneNetworkPolicies(defaults, 'signed-in');
  for (const { egress } of [zone, gate, buildNetworkPolicySpec(defaults)]) expect(egress?.[0]).toEqual(dnsRule);
});

it('let builds reach DNS and port 443 of public addresses by default, and otherwise DNS and the named ones', () => {
  const [first, open, ...others] = buildNetworkPolicySpec(defaults).egress ?? [];
  expect([first, others]).toEqual([dnsRule, []]);
  expect(open?.ports).toEqual([{ protocol: 'TCP', port: 443 }]);
  expect(open?.to.map(({ ipBlock }) => ipBlock?.cidr)).toEqual(['0.0.0.0/0', '::/0']);
  const { network } = loadConfig({ BUILD_ALLOWED_CIDRS: '203.0.113.7/32' });
  expect(buildNetworkPolicySpec(network).egress).toEqual([dnsRule, { to: [{ ipBlock: { cidr: '203.0.113.7/32' } }] }]);
});

describe('the network of a zone', () => {
  const environment = { GATEWAY_NAMESPACES: 'traefik', SERVICE_ACCOUNT: 'delivery/service' };
  const { network } = loadConfig(environment);
  const namespace = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });
  const gate = { matchLabels: { 'app.kubernetes.io/component': 'gate' } };
  const own = { podSelector: {} };

  it('lets proxies, the service and its own pods connect to the app of a public zone', () => {
    expect(zoneNetworkPolicies(network, 'public').zone.ingress).toEqual([
      { from: [own, namespace('traefik'), namespace('delivery')] },
    ]);
    expect([defaults.gatewayNamespaces, defaults.serviceNamespace]).toEqual([[], 'service-system']);
    expect(buildNetworkPolicySpec(defaults).ingress).toEqual([]);
  });

  it('lets Prometheus connect to apps, but not to gates, whatever the access', () => {
    const settings = { ...network, metricsNamespaces: ['monitoring'] };
    for (const access of ['public', 'signed-in', 'none'] as const) {
      const { zone, 'zone-gate': zoneGate } = zoneNetworkPolicies(settings, access);
      expect(JSON.stringify(zone.ingress)).toContain('"monitoring"');
      expect(JSON.stringify(zoneGate.ingress)).not.toContain('"monitoring"');
    }
  });

  it('lets no pod of another namespace connect to a gate or a public app when no proxy is named', () => {
    const { zone, 'zone-gate': zoneGate } = zoneNetworkPolicies(defaults, 'public');
    expect(zone.ingress).toEqual([{ from: [own, namespace('service-system')] }]);
    // A rule with an empty list of sources would admit every pod.
    expect(zoneGate.ingress).toEqual([]);
  });

  it.each(['signed-in', 'none'] as const)('lets no proxy connect to the app of a zone with the access %s', (access) => {
    const { zone } = zoneNetworkPolicies(network, access);
    expect(zone.ingress).toEqual([{ from: [own, namespace('delivery')] }]);
    expect(zone.podSelector).toEqual({
      matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'NotIn', values: ['gate'] }],
    });
  });

  it('lets proxies reach the answers of cert-manager to challenges, also in a zone that requires sign-in', () => {
    for (const access of ['public', 'signed-in', 'none'] as const)
      expect(zoneNetworkPolicies(network, access)['zone-certificates']).toEqual({
        podSelector: { matchLabels: { 'acme.cert-manager.io/http01-solver': 'true' } },
        policyTypes: ['Ingress'],
        ingress: [{ from: [namespace('traefik')], ports: [{ protocol: 'TCP', port: 8089 }] }],
      });
    expect(zoneNetworkPolicies(defaults, 'public')['zone-certificates'].ingress).toEqual([]);
  });

  it('lets proxies connect to the gate, which reaches DNS, its own pods and the API alone', () => {
    const { 'zone-gate': policy } = zoneNetworkPolicies(network, 'signed-in');
    expect(policy).toMatchObject({ podSelector: gate, ingress: [{ from: [namespace('traefik')] }] });
    const api = { matchLabels: { 'app.kubernetes.io/component': 'api' } };
    expect(policy.egress?.slice(1)).toEqual([
      { to: [own] },
      { to: [{ ...namespace('delivery'), podSelector: api }], ports: [{ protocol: 'TCP', port: 8080 }] },
    ]);
    expect(allows(policy, '1.1.1.1')).toBe(false);
  });
});
