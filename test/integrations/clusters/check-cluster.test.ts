import { describe, expect, it } from 'vitest';
import { checkCluster } from '../../../src/integrations/clusters/check-cluster.ts';
import type { ClusterAccessRule } from '../../../src/rules/clusters/required-access.ts';

type Answer = { status: number; body?: unknown };
type Review = { spec: { resourceAttributes: ClusterAccessRule } };
type Script = {
  version?: Answer;
  account?: Answer;
  access?: (rule: ClusterAccessRule) => Answer;
  ingress?: Answer;
  gateways?: Answer;
  storage?: Answer;
  hasGateway?: boolean;
};

const server = 'https://k8s.example.com';
const named = (username: string): Answer => ({ status: 201, body: { status: { userInfo: { username } } } });
const allowed = (isAllowed: boolean, status = 201): Answer => ({ status, body: { status: { allowed: isAllowed } } });
const classes = (...items: { name: string; annotations?: Record<string, string> }[]): Answer => ({
  status: 200,
  body: { items: items.map((metadata) => ({ metadata })) },
});
const byDefault = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
const isRequired = ({ verb, resource }: ClusterAccessRule): boolean =>
  (verb === 'create' && resource === 'namespaces') || (['get', 'list'].includes(verb) && resource !== 'secrets');

/** Checks a cluster whose API server answers as the script says. */
async function check({
  version = { status: 200, body: { gitVersion: 'v1.34.2' } },
  account = named('system:serviceaccount:s:service-zones'),
  access = (rule) => allowed(isRequired(rule)),
  ingress = classes({ name: 'traefik', annotations: byDefault }),
  gateways = classes({ name: 'envoy' }),
  storage = classes({ name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }),
  hasGateway = false,
}: Script = {}) {
  const requests: string[] = [];
  const bodies: object[] = [];
  const send = async (
    method: 'GET' | 'POST',
    path: string,
    body?: object,
  ): Promise<{ status: number; body: unknown }> => {
    requests.push(`${method} ${path}`);
    if (body) bodies.push(body);
    const answer = (): Answer => {
      if (path === '/version') return version;
      if (path.endsWith('/selfsubjectreviews')) return account;
      if (path.endsWith('/selfsubjectaccessreviews')) return access((body as Review).spec.resourceAttributes);
      if (path.includes('/gatewayclasses')) return gateways;
      return path.includes('/ingressclasses') ? ingress : storage;
    };
    return { body: undefined, ...answer() };
  };
  const { findings, ...rest } = await checkCluster({ send }, { server }, { ingressClass: undefined, hasGateway });
  const find = (subject: string) => findings.find((finding) => finding.subject === subject);
  return { ...rest, find, requests, bodies };
}

describe('the version', () => {
  it('is what the API server answers', async () => {
    const { version, find } = await check();
    expect(version).toBe('v1.34.2');
    expect(find('version')).toEqual({ subject: 'version', result: 'ok', message: 'Kubernetes v1.34.2.' });
    expect(find('user-namespaces')?.result).toBe('ok');
  });

  it.each([401, 403])('says that the credentials are not accepted (%i)', async (status) => {
    await expect(check({ version: { status, body: { gitVersion: 'v1.34.2' } } })).rejects.toMatchObject({
      message: expect.stringContaining(`${server} does not accept the credentials (${status})`),
      errors: [{ pointer: '/kubeconfig', detail: `users[0].user: is not accepted by the API server (${status})` }],
    });
  });

  it.each<[string, Answer]>([
    ['another status', { status: 404, body: { gitVersion: 'v1.34.2' } }],
    ['a body that is not JSON', { status: 200 }],
    ['a version that holds text of the server', { status: 200, body: { gitVersion: 'v1.34 <script>' } }],
  ])('says that the server is no API server for %s', async (_, version) => {
    await expect(check({ version })).rejects.toMatchObject({
      message: expect.stringContaining(`(${version.status})`),
      errors: [{ detail: 'clusters[0].cluster.server: is not the API server of a Kubernetes cluster' }],
    });
  });
});

describe('the account', () => {
  it('is what the API server calls it', async () => {
    const { find, bodies } = await check();
    expect(find('connection')?.message).toBe(`${server} accepts the account system:serviceaccount:s:service-zones.`);
    expect(bodies[0]).toEqual({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  });

  it('is not shown when its name may be other text of the server', async () => {
    const { find } = await check({ account: named('a <b>') });
    expect(find('connection')?.message).toBe(`${server} accepts the account of the kubeconfig.`);
  });

  it.each<[string, Answer]>([
    ['another status', { ...named('ada'), status: 300 }],
    ['an anonymous account', named('system:anonymous')],
    ['an account without a name', named('')],
    ['a body without an account', { status: 201, body: {} }],
  ])('is rejected for %s', async (_, account) => {
    await expect(check({ account })).rejects.toMatchObject({
      message: expect.stringContaining(`${server} does not accept the credentials (${account.status})`),
      errors: [{ detail: `users[0].user: is not accepted by the API server (${account.status})` }],
    });
  });
});

describe('the permissions', () => {
  it('are asked one by one', async () => {
    const { find, bodies } = await check();
    expect(find('permissions')?.result).toBe('ok');
    expect(find('least-privilege')?.result).toBe('ok');
    const asked = bodies.map((body) => (body as Partial<Review>).spec?.resourceAttributes);
    expect(asked).toContainEqual({ verb: 'get', group: '', resource: 'pods', subresource: 'log' });
    expect(asked).toContainEqual({ verb: 'list', group: '', resource: 'pods' });
    expect(asked).toContainEqual({ verb: 'create', group: 'apps', resource: 'deployments' });
    expect(asked).toContainEqual({ verb: '*', group: '*', resource: '*' });
  });

  it('are missing when the API server refuses them, fails, or answers something else', async () => {
    const lacking = (...names: string[]): string =>
      `The account lacks permissions in all namespaces: ${names.join(', ')}.`;
    for (const answer of [allowed(false), allowed(true, 300), { status: 201, body: { allowed: true } }]) {
      const { find } = await check({
        access: (rule) => (rule.resource === 'events' ? answer : allowed(isRequired(rule))),
      });
      expect(find('permissions')).toMatchObject({ result: 'failed', message: lacking('get events', 'list events') });
    }
  });

  it('are missing for the namespaces of new zones when the account only reads', async () => {
    const { find } = await check({ access: (rule) => allowed(isRequired(rule) && rule.verb !== 'create') });
    expect(find('permissions')?.message).toContain('in all namespaces: create namespaces.');
  });

  it('are too many when the account may change something, or everything', async () => {
    const deleting = await check({ access: (rule) => allowed(isRequired(rule) || rule.verb === 'delete') });
    expect(deleting.find('least-privilege')).toMatchObject({
      result: 'warning',
      message: 'The account may do more than the service needs: delete pods, delete namespaces.',
    });
    const admin = await check({ access: (rule) => allowed(isRequired(rule) || rule.verb === '*') });
    expect(admin.find('least-privilege')?.message).toContain('is a cluster admin');
  });
});

describe('the classes', () => {
  it('are of the Gateway API when this installation has a Gateway', async () => {
    const withGateway = await check({ hasGateway: true });
    expect(withGateway.find('ingress')).toMatchObject({ result: 'ok', message: 'GatewayClass envoy.' });
    expect(withGateway.requests).not.toContain('GET /apis/networking.k8s.io/v1/ingressclasses?limit=200');
    const { find, requests } = await check();
    expect(find('ingress')).toMatchObject({ result: 'ok', message: 'IngressClass traefik, the default.' });
    expect(requests).not.toContain('GET /apis/gateway.networking.k8s.io/v1/gatewayclasses?limit=200');
  });

  it.each([401, 403])('are unknown when the account may not list them (%i)', async (status) => {
    const { find } = await check({ ingress: { ...classes({ name: 'traefik' }), status } });
    expect(find('ingress')?.message).toBe('The account may not list IngressClasses.');
    expect(find('storage')?.result).toBe('ok');
  });

  it.each<[string, Answer]>([
    ['an API that is not installed', { status: 404, body: { items: [] } }],
    ['another status with a list', { ...classes({ name: 'traefik', annotations: byDefault }), status: 500 }],
    ['another body', { status: 200, body: { items: 'none' } }],
  ])('are none for %s', async (_, ingress) => {
    expect((await check({ ingress })).find('ingress')?.message).toContain('The cluster has no IngressClasses');
  });

  it('are default classes by the value of one annotation among others', async () => {
    const { find } = await check({
      ingress: classes(
        { name: 'traefik', annotations: { owner: 'ada', ...byDefault } },
        { name: 'nginx', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'false', managed: 'true' } },
        { name: 'plain' },
      ),
    });
    expect(find('ingress')?.message).toBe('IngressClass traefik, the default.');
  });
});
