import { type Document, isAlias, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import type { FieldError } from '../../errors.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { trimSlashes } from '../trim-slashes.ts';

/** The credentials of all clusters are in one Secret, whose size is limited. */
export const kubeconfigBytesMax = 32 * 1024;

const inlineCommand = '`kubectl config view --raw --minify --flatten`';
const refused = (why: string) => z.never({ error: why }).optional();
const file = (inline: string) =>
  refused(`names a file, which the service does not read: use ${inline}, as ${inlineCommand} prints it`);
const impersonation = refused('impersonates another account: create a token of that account instead');
const password = refused('is a password, which API servers no longer accept: use `token`');
const ignored = z.unknown().optional();

const base64Pem = (label: string) =>
  z
    .string()
    .max(kubeconfigBytesMax)
    .refine((text) => /^[A-Za-z0-9+/]+={0,2}$/.test(text.replaceAll(/\s/g, '')), 'must be base64')
    .refine((text) => isPem(text, label), `must be PEM of a ${label.toLowerCase()}, in base64`);

const ClusterEntry = z.strictObject({
  server: z
    .string()
    .max(500)
    .refine(
      isServerUrl,
      'must be an https URL without a user, a query and a fragment, such as https://k8s.example.com',
    ),
  'certificate-authority-data': base64Pem('CERTIFICATE').optional(),
  'certificate-authority': file('`certificate-authority-data`'),
  'insecure-skip-tls-verify': z
    .literal(false, {
      error: 'would send the credentials to any server that answers: remove it and add `certificate-authority-data`',
    })
    .optional(),
  'proxy-url': refused('is not supported: the service connects to the API server itself'),
  'tls-server-name': refused('is not supported: `server` must have the name that the certificate has'),
  'disable-compression': ignored,
  extensions: ignored,
});

const token = z
  .string()
  .min(1)
  .max(kubeconfigBytesMax)
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');

const UserEntry = z.strictObject({
  token: token.optional(),
  'client-certificate-data': base64Pem('CERTIFICATE').optional(),
  'client-key-data': base64Pem('PRIVATE KEY').optional(),
  exec: refused('would run a program on the machine of the service: use a `token` of a ServiceAccount'),
  'auth-provider': refused('would run a plugin of kubectl: use a `token` of a ServiceAccount'),
  'client-certificate': file('`client-certificate-data`'),
  'client-key': file('`client-key-data`'),
  tokenFile: file('`token`'),
  username: password,
  password,
  as: impersonation,
  'as-uid': impersonation,
  'as-groups': impersonation,
  'as-user-extra': impersonation,
  extensions: ignored,
});

const ContextEntry = z.strictObject({ cluster: z.string(), user: z.string(), namespace: ignored, extensions: ignored });

/** More entries than the used one would bring credentials of other clusters to the service. */
const only = <T extends z.ZodType>(entry: T) =>
  z.array(entry).length(1, `must have exactly one entry, the one that is used: ${inlineCommand} prints only that`);

const Kubeconfig = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Config'),
  'current-context': z.string().min(1),
  clusters: only(z.strictObject({ name: z.string(), cluster: ClusterEntry })),
  users: only(z.strictObject({ name: z.string(), user: UserEntry })),
  contexts: only(z.strictObject({ name: z.string(), context: ContextEntry })),
  preferences: ignored,
  extensions: ignored,
});
type Kubeconfig = z.infer<typeof Kubeconfig>;

export type ReadKubeconfig = { access: ClusterAccess } | { violations: string[] };

/**
 * Validates a kubeconfig and returns the access that it gives. A kubeconfig can name programs to run and files to read,
 * so everything but addresses, certificates and tokens is refused. No violation contains a value of the kubeconfig.
 */
export function readKubeconfig(text: string): ReadKubeconfig {
  if (Buffer.byteLength(text) > kubeconfigBytesMax)
    return { violations: [`is larger than ${kubeconfigBytesMax} bytes`] };
  const content = parsePlainYaml(text);
  if ('violation' in content) return { violations: [content.violation] };
  const parsed = Kubeconfig.safeParse(content.value);
  if (!parsed.success) return { violations: parsed.error.issues.slice(0, 20).map(describeIssue) };
  const violations = referenceViolations(parsed.data);
  return violations.length > 0 ? { violations } : { access: toAccess(parsed.data) };
}

export const toFieldErrors = (violations: readonly string[]): FieldError[] =>
  violations.map((detail) => ({ pointer: '/kubeconfig', detail }));

/** Parses one document without aliases, which can expand without end, and without tags. */
function parsePlainYaml(text: string): { value: unknown } | { violation: string } {
  try {
    const document: Document = parseDocument(text, { logLevel: 'error', prettyErrors: false });
    const [error] = [...document.errors, ...document.warnings];
    // The message of the parser contains the line, and so possibly a credential.
    if (error) return { violation: `is not valid YAML (line ${text.slice(0, error.pos[0]).split('\n').length})` };
    let hasAlias = false;
    visit(document, (_key, node) => {
      hasAlias = isAlias(node);
      return hasAlias ? visit.BREAK : undefined;
    });
    if (hasAlias) return { violation: 'has YAML aliases: write each value out' };
    return { value: document.toJS({ maxAliasCount: 0 }) };
  } catch {
    // The parser recurses, so deep nesting exhausts the stack.
    return { violation: 'is not valid YAML, or is nested too deeply' };
  }
}

function describeIssue({ path, message, ...issue }: z.core.$ZodIssue): string {
  const field = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  const name = field.replace(/^\./, '') || 'the kubeconfig';
  if (issue.code !== 'unrecognized_keys') return `${name}: ${message}`;
  // The names are text of the kubeconfig, in which a person may have mixed up lines.
  const keys = issue.keys.filter((key) => /^[A-Za-z-]{1,40}$/.test(key)).slice(0, 5);
  return `${name}: has fields that the service does not know${keys.length > 0 ? ` (${keys.join(', ')})` : ''}`;
}

function referenceViolations({ clusters, users, contexts, ...kubeconfig }: Kubeconfig): string[] {
  const [cluster, user, context] = [clusters[0], users[0], contexts[0]];
  const { token: bearer, 'client-certificate-data': certificate, 'client-key-data': key } = user?.user ?? {};
  return [
    ...(context?.name === kubeconfig['current-context'] ? [] : ['current-context: must name the entry of contexts']),
    ...(context?.context.cluster === cluster?.name
      ? []
      : ['contexts[0].context.cluster: must name the entry of clusters']),
    ...(context?.context.user === user?.name ? [] : ['contexts[0].context.user: must name the entry of users']),
    ...(bearer === undefined && certificate === undefined && key === undefined
      ? ['users[0].user: must have a `token`, or `client-certificate-data` and `client-key-data`']
      : []),
    ...((certificate === undefined) === (key === undefined)
      ? []
      : ['users[0].user: must have both `client-certificate-data` and `client-key-data`']),
  ];
}

function toAccess({ clusters, users }: Kubeconfig): ClusterAccess {
  const { server = '', 'certificate-authority-data': caData } = clusters[0]?.cluster ?? {};
  const { token: bearer, 'client-certificate-data': certData, 'client-key-data': keyData } = users[0]?.user ?? {};
  return {
    server: trimSlashes(server),
    ...(caData !== undefined && { caData: caData.replace(/\s/g, '') }),
    ...(bearer !== undefined && { token: bearer }),
    ...(certData !== undefined && { certData: certData.replace(/\s/g, '') }),
    ...(keyData !== undefined && { keyData: keyData.replace(/\s/g, '') }),
  };
}

function isServerUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && !/[?#@\s\\]/.test(text);
}

function isPem(base64: string, label: string): boolean {
  const pem = Buffer.from(base64, 'base64').toString('latin1');
  return new RegExp(`-----BEGIN ([A-Z]+ )?${label}-----[\\s\\S]+-----END ([A-Z]+ )?${label}-----`).test(pem);
}
