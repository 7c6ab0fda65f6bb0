import { z } from 'zod';
import type { NetworkSettings } from '../rules/environments/network-policies.ts';
import type { IngressGateway } from '../rules/environments/zone-chart.ts';
import { cidrListSchema, httpUrlSchema, listSchema } from './schemas.ts';

const labelsSchema = listSchema.transform((entries, context) =>
  Object.fromEntries(
    entries.map((entry) => {
      const [, name = '', value = ''] = /^([a-zA-Z0-9][\w./-]*)=([\w.-]*)$/.exec(entry) ?? [];
      if (name === '') context.addIssue({ code: 'custom', message: 'each entry must be <name>=<value>' });
      return [name, value];
    }),
  ),
);

const addressSchema = z
  .string()
  .refine(
    (pattern) =>
      /^https?:\/\/[^/?#]*\{zone\}/.test(pattern) && URL.canParse(pattern.replaceAll(/\{(product|zone)\}/g, 'name')),
    'must be a URL that begins with http:// or https://, with {zone} in its host',
  );

export const zoneVariables = {
  ZONE_ADDRESS: addressSchema
    .default('https://{zone}.example.com')
    .describe(
      'URL of a zone, with {zone} for its name. Its domain is a first value, which platform admins change with `putInstallation`.',
    ),
  ZONE_SERVICE: addressSchema
    .default('http://{product}.{zone}.svc.cluster.local')
    .describe('URL at which the service itself reaches the app of a zone, with {product} and {zone}.'),
  INGRESS_CLASS: z
    .string()
    .optional()
    .describe(
      'Ingress class of zones in a cluster, of any controller (default: the default class of the cluster). INGRESS_GATEWAY replaces it.',
    ),
  INGRESS_GATEWAY: z
    .string()
    .regex(/^[^/]+\/[^/]+(\/[^/]+)?$/, 'must be <namespace>/<name> or <namespace>/<name>/<listener>')
    .optional()
    .describe(
      'Gateway (Gateway API) of zones in a cluster, as <namespace>/<name> or <namespace>/<name>/<listener>. Zones get an HTTPRoute instead of an Ingress; the Gateway has the certificates.',
    ),
  GATE_IMAGE: z
    .string()
    .optional()
    .describe('Image of the gate in front of zones that require sign-in; such zones in a cluster need it.'),
  GATE_API_URL: httpUrlSchema
    .default('http://service-api.service-system.svc.cluster.local')
    .describe('URL at which gates reach the API. Those in workload clusters use PUBLIC_URL.'),
  CERTIFICATE_ISSUER: z
    .string()
    .optional()
    .describe('ClusterIssuer that issues the certificates of zones in a cluster (default: letsencrypt).'),
  ARGO_CD_NAMESPACE: z
    .string()
    .default('argocd')
    .describe('Argo CD namespace, in which the service writes an AppProject for each org.'),
  GATEWAY_NAMESPACES: listSchema.describe(
    'Namespaces of the proxies that serve zones: their pods may connect to public zones and to gates, and no other pods may.',
  ),
  METRICS_NAMESPACES: listSchema.describe(
    'Namespaces of Prometheus: their pods may connect to the pods of zones (default: none).',
  ),
  METRICS_LABELS: labelsSchema.describe(
    'Labels of the objects for the Prometheus operator, each as <name>=<value>, by which Prometheus selects them.',
  ),
  ZONE_ALLOWED_CIDRS: cidrListSchema.describe(
    'Inside addresses that the pods of zones may connect to. All others must be public.',
  ),
  BLOCKED_CIDRS: cidrListSchema.describe(
    'Public addresses that the pods of zones and builds must not connect to, such as those of nodes.',
  ),
  BUILD_ALLOWED_CIDRS: cidrListSchema.describe(
    'The only addresses that the pods of builds may connect to, such as those of the code host, the registry of images and a mirror of package registries (default: port 443 of all public ones, because package registries have no fixed addresses).',
  ),
};
type Variables = z.infer<z.ZodObject<typeof zoneVariables>>;

export type ZoneConfig = {
  zoneAddress: (zone: string) => string;
  zoneService: (product: string, zone: string) => string;
  ingressClass: string | undefined;
  ingressGateway: IngressGateway | undefined;
  gate: { image: string | undefined; apiUrl: string };
  certificateIssuer: string | undefined;
  argoCdNamespace: string;
  /** The labels by which Prometheus selects the objects for its operator. */
  metricsLabels: Readonly<Record<string, string>>;
  /** The connections that NetworkPolicies allow. */
  network: NetworkSettings;
};

export const toZoneConfig = (env: Variables, serviceNamespace = 'service-system'): ZoneConfig => ({
  zoneAddress: (zone) => env.ZONE_ADDRESS.replace('{zone}', zone),
  zoneService: (product, zone) => env.ZONE_SERVICE.replace('{product}', product).replace('{zone}', zone),
  ingressClass: env.INGRESS_CLASS,
  ingressGateway: toIngressGateway(env),
  gate: { image: env.GATE_IMAGE, apiUrl: env.GATE_API_URL },
  certificateIssuer: env.CERTIFICATE_ISSUER,
  argoCdNamespace: env.ARGO_CD_NAMESPACE,
  metricsLabels: env.METRICS_LABELS,
  network: {
    gatewayNamespaces: env.GATEWAY_NAMESPACES,
    metricsNamespaces: env.METRICS_NAMESPACES,
    serviceNamespace,
    zoneAllowedCidrs: env.ZONE_ALLOWED_CIDRS,
    blockedCidrs: env.BLOCKED_CIDRS,
    buildAllowedCidrs: env.BUILD_ALLOWED_CIDRS,
  },
});

function toIngressGateway(env: Variables): IngressGateway | undefined {
  if (env.INGRESS_GATEWAY === undefined) return undefined;
  const [namespace = '', name = '', sectionName] = env.INGRESS_GATEWAY.split('/');
  return { namespace, name, ...(sectionName !== undefined && { sectionName }) };
}
