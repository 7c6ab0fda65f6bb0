import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { kubeconfigBytesMax, readKubeconfig } from '../../../src/rules/clusters/read-kubeconfig.ts';
import { buildKubeconfig } from '../../support/servers/cluster-server.ts';

const secret = 'very-secret-value';
const base = buildKubeconfig({ token: secret });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const certificate = base64('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n');
const key = base64('-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n');
const withCluster = (fields: object) => ({
  ...base,
  clusters: [{ name: 'c', cluster: { server: 'https://k8s.example.com', ...fields } }],
});
const withUser = (fields: object) => ({ ...base, users: [{ name: 'u', user: { token: secret, ...fields } }] });
const withContext = (fields: object) => ({
  ...base,
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', ...fields } }],
});

it('reads what kubectl prints for one context, with a token or a client certificate', () => {
  const printed = {
    ...withContext({ namespace: 'default' }),
    preferences: {},
    clusters: [
      {
        name: 'c',
        cluster: { server: 'https://k8s.example.com/k8s/clusters/c-1/', 'certificate-authority-data': certificate },
      },
    ],
  };
  expect(readKubeconfig(stringify(printed))).toEqual({
    access: { server: 'https://k8s.example.com/k8s/clusters/c-1', caData: certificate, token: secret },
  });
  const user = { 'client-certificate-data': certificate, 'client-key-data': key };
  expect(readKubeconfig(JSON.stringify({ ...base, users: [{ name: 'u', user }] }))).toEqual({
    access: { server: 'https://k8s.example.com', certData: certificate, keyData: key },
  });
});

const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'.split('').map((name, index) => {
    const before = 'abcdefghi'[index];
    return `${name}: &${name} [*${before},*${before},*${before},*${before},*${before},*${before}]`;
  }),
].join('\n');

const hostile: [what: string, kubeconfig: object | string, violation: RegExp][] = [
  [
    'a program',
    withUser({ exec: { command: 'sh', args: ['-c', 'id'] } }),
    /^users\[0\]\.user\.exec: would run a program/,
  ],
  ['a plugin', withUser({ 'auth-provider': { name: 'gcp' } }), /^users\[0\]\.user\.auth-provider: would run a plugin/],
  ['a file of a token', withUser({ tokenFile: '/etc/passwd' }), /^users\[0\]\.user\.tokenFile: names a file/],
  ['a file of a certificate', withUser({ 'client-certificate': '/a' }), /client-certificate: names a file/],
  ['a file of a key', withUser({ 'client-key': '/a' }), /client-key: names a file/],
  ['a file of an authority', withCluster({ 'certificate-authority': '/a' }), /certificate-authority: names a file/],
  [
    'no check of the certificate',
    withCluster({ 'insecure-skip-tls-verify': true }),
    /insecure-skip-tls-verify: would send/,
  ],
  ['a proxy', withCluster({ 'proxy-url': 'http://127.0.0.1:3128' }), /proxy-url: is not supported/],
  ['another server name', withCluster({ 'tls-server-name': 'other' }), /tls-server-name: is not supported/],
  ['a server without TLS', withCluster({ server: 'http://k8s.example.com' }), /server: must be an https URL/],
  ['a server of another protocol', withCluster({ server: 'unix:///run/docker.sock' }), /server: must be an https URL/],
  ['a server with a user', withCluster({ server: 'https://a:b@k8s.example.com' }), /server: must be an https URL/],
  ['a server with a query', withCluster({ server: 'https://k8s.example.com/?a=' }), /server: must be an https URL/],
  [
    'a server with a line break',
    withCluster({ server: 'https://k8s.example.com\r\nX: y' }),
    /server: must be an https URL/,
  ],
  ['a token that ends a header', withUser({ token: `${secret}\r\nX-Admin: 1` }), /token: must be printable ASCII/],
  ['a token that is a number', withUser({ token: 12345 }), /users\[0\]\.user\.token: /],
  ['an authority that is no PEM', withCluster({ 'certificate-authority-data': base64('hello') }), /must be PEM/],
  ['an authority that is no base64', withCluster({ 'certificate-authority-data': '{{' }), /must be base64/],
  ['impersonation', withUser({ as: 'system:admin' }), /users\[0\]\.user\.as: impersonates/],
  ['a password', withUser({ username: 'a', password: secret }), /username: is a password/],
  ['an unknown field', withUser({ credentials: 'x' }), /does not know \(credentials\)/],
  ['a field that is a value', withUser({ [`${secret}=`]: 'x' }), /does not know$/],
  ['a prototype', `{"__proto__": {"a": 1}, ${JSON.stringify(base).slice(1)}`, /does not know/],
  ['two clusters', { ...base, clusters: [...base.clusters, ...base.clusters] }, /^clusters: must have exactly one/],
  ['two users', { ...base, users: [...base.users, ...base.users] }, /^users: must have exactly one/],
  ['no user', { ...base, users: [] }, /^users: must have exactly one/],
  ['no context', { ...base, 'current-context': undefined }, /^current-context: /],
  ['another context', { ...base, 'current-context': 'other' }, /^current-context: must name/],
  ['another user', withContext({ user: 'other' }), /user: must name the entry of users/],
  ['no credentials', { ...base, users: [{ name: 'u', user: {} }] }, /must have a `token`/],
  ['a certificate without its key', withUser({ 'client-certificate-data': certificate }), /must have both/],
  ['a list', [base], /the kubeconfig: /],
  ['nothing', '', /the kubeconfig: /],
  ['no YAML', `{"token": "${secret}"`, /^is not valid YAML \(line 1\)$/],
  ['a tag', 'a: !!js/function "x"', /^is not valid YAML/],
  ['two documents', `${stringify(base)}---\n${stringify(base)}`, /^is not valid YAML/],
  ['a key twice', 'kind: Config\nkind: Config', /^is not valid YAML \(line 2\)$/],
  ['an alias', `a: &a ${secret}\nb: *a`, /^has YAML aliases/],
  ['a bomb of aliases', bomb, /^has YAML aliases/],
  ['deep nesting', '['.repeat(30_000), /^is not valid YAML/],
  ['too many bytes', ' '.repeat(kubeconfigBytesMax + 1), /^is larger than/],
];

it.each(hostile)('refuses %s, and names the field and not its value', (_what, kubeconfig, violation) => {
  const read = readKubeconfig(typeof kubeconfig === 'string' ? kubeconfig : JSON.stringify(kubeconfig));
  const violations = 'violations' in read ? read.violations : [];
  expect(violations[0]).toMatch(violation);
  expect(JSON.stringify(read)).not.toContain(secret);
});
