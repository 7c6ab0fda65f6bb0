import { z } from 'zod';
import type { DomainSettings } from '../rules/domains/kinds.ts';
import { canonicalAddress } from '../rules/network/canonical-address.ts';
import { listSchema, portSchema } from './schemas.ts';

const hostSchema = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'each entry must be a domain name such as apps.example.com');

const hostListSchema = listSchema.pipe(z.array(hostSchema));

const ipSchema = z.union([z.ipv4(), z.ipv6()], 'each entry must be an IP address');
const addressSchema = ipSchema.transform((address) => canonicalAddress(address));
const addressListSchema = listSchema.pipe(z.array(addressSchema));

/** Accepts `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` and `[2001:db8::1]:5353`. A host name would itself need a resolver. */
function isDnsServer(text: string): boolean {
  const [, ipv6, ipv4, port = '53'] = /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return ipSchema.safeParse(ipv6 ?? ipv4 ?? text).success && portSchema.safeParse(port).success;
}

const dnsServerSchema = z
  .string()
  .refine(isDnsServer, 'each entry must be <address> or <address>:<port>, such as 192.0.2.1:53');

const dnsZoneServerSchema = z
  .string()
  .transform((entry) => entry.split('='))
  .refine(
    ([dnsZone = '', server = '', ...rest]) => dnsZone !== '' && isDnsServer(server) && rest.length === 0,
    'each entry must be <dnsZone>=<address>:<port>, such as example.com=192.0.2.1:53',
  )
  .transform(([dnsZone = '', server = '']) => ({ dnsZone, server }));

export const domainVariables = {
  // A record cannot name an address, a port or a URL.
  INGRESS_HOST: z
    .string()
    .toLowerCase()
    .regex(/^([a-z0-9-]+\.)+[a-z][a-z0-9-]*$/, 'must be a domain name such as ingress.example.com')
    .optional()
    .describe('Host that the CNAME records of domains point to.'),
  INGRESS_ADDRESSES: addressListSchema.describe('IP addresses for domains that cannot have a CNAME record.'),
  MANAGED_BASE_DOMAINS: hostListSchema.describe(
    'Base domains whose subdomains the service assigns; it writes their records as DNSEndpoints. A first value, which platform admins change with `putInstallation`.',
  ),
  PLATFORM_ORG: z.string().optional().describe('Org whose domains can be shared with every org.'),
  CERTIFICATE_AUTHORITIES: listSchema.describe(
    'Names of the certificate authority in CAA records (default: letsencrypt.org).',
  ),
  DNS_RESOLVERS: listSchema
    .pipe(z.array(dnsServerSchema))
    .describe('DNS resolvers, each as <address> or <address>:<port> (default: system resolvers).'),
  DNS_ZONE_SERVERS: listSchema
    .pipe(z.array(dnsZoneServerSchema))
    .describe('Name servers of DNS zones that no resolver knows, each as <dnsZone>=<address>:<port>.'),
};
type Variables = z.infer<z.ZodObject<typeof domainVariables>>;

export type DomainConfig = {
  domains: DomainSettings;
  dns: { resolvers: readonly string[]; zoneServers: readonly { dnsZone: string; server: string }[] };
};

/** The addresses of the service and of its zones, which no tenant may claim. */
type OwnAddresses = { PUBLIC_URL?: string | undefined; ZONE_ADDRESS: string };

export const toDomainConfig = (env: Variables & OwnAddresses): DomainConfig => ({
  domains: toDomainSettings(env),
  dns: { resolvers: env.DNS_RESOLVERS, zoneServers: env.DNS_ZONE_SERVERS },
});

function toDomainSettings(env: Variables & OwnAddresses): DomainSettings {
  const publicHost = URL.parse(env.PUBLIC_URL ?? 'http://localhost')?.hostname;
  const zoneHost = URL.parse(env.ZONE_ADDRESS.replace('{zone}', 'zone'))?.hostname;
  return {
    platformDomain: zoneHost?.startsWith('zone.') === true ? zoneHost.slice('zone.'.length) : undefined,
    // The site of a managed root could set cookies for every name under it.
    ownHosts: [publicHost, env.INGRESS_HOST, ...env.MANAGED_BASE_DOMAINS].filter((host) => host !== undefined),
    managedBaseDomains: env.MANAGED_BASE_DOMAINS,
    ingress: { host: env.INGRESS_HOST, addresses: env.INGRESS_ADDRESSES },
    certificateAuthorities: env.CERTIFICATE_AUTHORITIES.length > 0 ? env.CERTIFICATE_AUTHORITIES : ['letsencrypt.org'],
    platformOrg: env.PLATFORM_ORG,
  };
}
