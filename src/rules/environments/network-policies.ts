import type { NetworkPolicy, NetworkPolicyPeer } from '../../kinds/kubernetes.ts';
import type { ZoneAccess } from './settings.ts';

export type NetworkSettings = {
  /** The namespaces of the proxies that serve the addresses of zones. */
  gatewayNamespaces: readonly string[];
  /** The namespace of the service, which checks apps and authorizes the visitors of zones. */
  serviceNamespace: string;
  /** The namespaces of Prometheus, which reads the metrics of apps at their pods. */
  metricsNamespaces: readonly string[];
  /** Addresses inside that zones may connect to. */
  zoneAllowedCidrs: readonly string[];
  /** Addresses that neither zones nor builds may connect to, although they are public. */
  blockedCidrs: readonly string[];
  /** The only addresses that builds may connect to; port 443 of all public ones when empty. */
  buildAllowedCidrs: readonly string[];
};

/** Ranges that are not on the internet, such as private and link-local ones, and metadata services of clouds. */
const insideCidrs = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Includes the ranges that embed IPv4 addresses, because a translator could lead to inside ones. */
const insideCidrs6 = ['::/8', '2001::/32', '2002::/16', 'fc00::/7', 'fe80::/9', 'ff00::/8'];

const isIpv6 = (cidr: string): boolean => cidr.includes(':');
const toPeer = (cidr: string): NetworkPolicyPeer => ({ ipBlock: { cidr } });
const fromNamespace = (name: string): NetworkPolicyPeer => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});

const systemPods = (app: string): NetworkPolicyPeer => ({
  ...fromNamespace('kube-system'),
  podSelector: { matchLabels: { 'k8s-app': app } },
});
/** The address of NodeLocal DNSCache. Its pod is in the network of the node, where most network plugins see no labels. */
const nodeDnsCacheCidr = '169.254.20.10/32';

const dnsRule = {
  to: [systemPods('kube-dns'), systemPods('node-local-dns'), toPeer(nodeDnsCacheCidr)],
  ports: [
    { protocol: 'UDP' as const, port: 53 },
    { protocol: 'TCP' as const, port: 53 },
  ],
};

const publicPeers = (blocked: readonly string[]): NetworkPolicyPeer[] => [
  { ipBlock: { cidr: '0.0.0.0/0', except: [...insideCidrs, ...blocked.filter((cidr) => !isIpv6(cidr))] } },
  { ipBlock: { cidr: '::/0', except: [...insideCidrs6, ...blocked.filter(isIpv6)] } },
];

/** The label of the pods of a gate, which the zone chart sets. */
export const componentLabel = 'app.kubernetes.io/component';
/** The pods of gates and of the API listen on this port. */
const servicePort = 8080;
/** The label and the port of the pods with which cert-manager answers the HTTP-01 challenges of a zone's addresses. */
const solverLabel = 'acme.cert-manager.io/http01-solver';
const solverPort = 8089;

/**
 * Isolates the pods of a zone. They reach DNS, their own pods and public addresses. The service, Prometheus and their own
 * pods connect to them, and proxies do if the zone is public: those of a zone that requires sign-in connect to its gate.
 */
const appPolicySpec = (settings: NetworkSettings, access: ZoneAccess): NetworkPolicy['spec'] => {
  const proxies = access === 'public' ? settings.gatewayNamespaces : [];
  const outside = [...proxies, settings.serviceNamespace, ...settings.metricsNamespaces];
  return {
    podSelector: { matchExpressions: [{ key: componentLabel, operator: 'NotIn', values: ['gate'] }] },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [{ podSelector: {} }, ...outside.map(fromNamespace)] }],
    egress: [
      dnsRule,
      { to: [{ podSelector: {} }, ...publicPeers(settings.blockedCidrs), ...settings.zoneAllowedCidrs.map(toPeer)] },
    ],
  };
};

/** A rule without sources would admit every pod. */
const fromProxies = ({ gatewayNamespaces }: NetworkSettings): NonNullable<NetworkPolicy['spec']['ingress']> =>
  gatewayNamespaces.length > 0 ? [{ from: gatewayNamespaces.map(fromNamespace) }] : [];

/** Isolates the gate of a zone: proxies connect to it, and it reaches DNS, the app and the API. */
const gatePolicySpec = (settings: NetworkSettings): NetworkPolicy['spec'] => ({
  podSelector: { matchLabels: { [componentLabel]: 'gate' } },
  policyTypes: ['Ingress', 'Egress'],
  ingress: fromProxies(settings),
  egress: [
    dnsRule,
    { to: [{ podSelector: {} }] },
    {
      to: [{ ...fromNamespace(settings.serviceNamespace), podSelector: { matchLabels: { [componentLabel]: 'api' } } }],
      ports: [{ protocol: 'TCP', port: servicePort }],
    },
  ],
});

/** Opens the answers to challenges, whatever the access to the zone: a certificate authority never signs in. */
const solverPolicySpec = (settings: NetworkSettings): NetworkPolicy['spec'] => ({
  podSelector: { matchLabels: { [solverLabel]: 'true' } },
  policyTypes: ['Ingress'],
  ingress: fromProxies(settings).map((rule) => ({ ...rule, ports: [{ protocol: 'TCP', port: solverPort }] })),
});

/** Returns the policies of a zone by their names. */
export const zoneNetworkPolicies = (
  settings: NetworkSettings,
  access: ZoneAccess,
): Record<'zone' | 'zone-gate' | 'zone-certificates', NetworkPolicy['spec']> => ({
  zone: appPolicySpec(settings, access),
  'zone-gate': gatePolicySpec(settings),
  'zone-certificates': solverPolicySpec(settings),
});

/**
 * Isolates the builds of an org: nothing connects to them, and they reach DNS and the allowed addresses. By default, those
 * are all public ones, because a policy knows no names and package registries change their addresses.
 */
export const buildNetworkPolicySpec = ({
  blockedCidrs,
  buildAllowedCidrs,
}: NetworkSettings): NetworkPolicy['spec'] => ({
  podSelector: {},
  policyTypes: ['Ingress', 'Egress'],
  ingress: [],
  egress: [
    dnsRule,
    buildAllowedCidrs.length > 0
      ? { to: buildAllowedCidrs.map(toPeer) }
      : { to: publicPeers(blockedCidrs), ports: [{ protocol: 'TCP', port: 443 }] },
  ],
});
