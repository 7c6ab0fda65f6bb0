import semver from 'semver';
import { NamespaceKind } from '../../src/kinds/kubernetes.ts';
import { matchesGlob } from '../../src/rules/intake/matches-glob.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace.ts';
import { type Attack, testAttacks } from './attacks.ts';
import type { World } from './world.ts';

const evil = '/v1/orgs/evil';
let products = 0;

/** Mallory creates a Product of evil. Returns true when it is accepted. */
async function createsProduct(world: World, spec: { repos?: string[]; zones?: object[] }): Promise<boolean> {
  products += 1;
  const { repos = [], zones = [] } = spec;
  const body = { name: `taken-${products}`, spec: { repos, delivery: { zones } } };
  return (await world.call('POST', `${evil}/products`, { as: 'mallory', body })).ok;
}

const toZone = (name: string, more: object = {}): object => ({ name, promotionPolicy: 'after-approval', ...more });

/** A name that is not hers. The counter-attack is the same request with a name that is free. */
const zoneName = (what: string, name: string): Attack => ({
  name: `mallory calls a zone like ${what} (${name})`,
  attempt: async (world) => await createsProduct(world, { zones: [toZone(name)] }),
  counter: async (world) => await createsProduct(world, { zones: [toZone(`free-${products}`)] }),
});

const repo = (what: string, name: string): Attack => ({
  name: `mallory takes ${what} as the repo of a Product`,
  attempt: async (world) => await createsProduct(world, { repos: [name] }),
  counter: async (world) => await createsProduct(world, { repos: [`${name}-${products}`] }),
});

const address = (what: string, [domain, name]: [string, string], free: [string, string]): Attack => {
  const creates = async (world: World, [at, label]: [string, string], zone: string): Promise<boolean> =>
    await createsProduct(world, { zones: [toZone(zone, { addresses: [{ domain: at, name: label }] })] });
  return {
    name: `mallory gives a zone the address of ${what}`,
    attempt: async (world) => await creates(world, [domain, name], `address-${name}`),
    counter: async (world) => await creates(world, free, `address-free-${name}`),
  };
};

const claims = async (world: World, name: string, kind = 'managed'): Promise<boolean> =>
  (await world.call('POST', `${evil}/domains`, { as: 'mallory', body: { name, kind } })).ok;

const domain = (what: string, name: string, kind: 'managed' | 'external', free: string): Attack => ({
  name: `mallory claims ${what}`,
  attempt: async (world) => await claims(world, name, kind),
  counter: async (world) => await claims(world, free, kind),
});

/** Counts the CPU time of matching a hostile glob. */
const isSlow = (match: () => void): boolean => {
  const before = process.cpuUsage();
  match();
  return process.cpuUsage(before).user > 150_000;
};
const hostileBranch = 'a'.repeat(90);
const hugeVersion = 'v99999999999999999999.0.0';

testAttacks('names', [
  zoneName('the namespace of Argo CD', 'argocd'),
  zoneName('a namespace of the cluster', 'kube-system'),
  zoneName('the namespace of an ingress controller', 'ingress-nginx'),
  zoneName('the namespace of the Temporal server', 'temporal'),
  zoneName('the namespace of the service', 'service-system'),
  zoneName('the namespace of another org', 'org-acme'),
  zoneName('the sign-in page', 'login'),
  zoneName('a zone of another org', 'shop-prod'),
  zoneName('the root of managed domains', 'domains'),
  zoneName('a host in another script', 'xn--pypal-4ve'),
  {
    name: 'mallory calls a zone like a namespace that exists already',
    attempt: async (world) => await adoptsNamespace(world, 'ledger', false),
    counter: async (world) => await adoptsNamespace(world, 'ledger-own', true),
  },
  repo('the gitops repo of another org', 'acme/gitops'),
  repo('the gitops repo of the own org', 'evil/gitops'),
  repo('a gitops repo in other letters', 'ACME/GitOps'),
  repo('a gitops repo with an ending that code hosts ignore', 'evil/gitops.git'),
  repo('a repo of another Product', 'evil/app'),
  repo('a repo of another Product with that ending', 'evil/app.GIT'),
  address('a zone of another org', ['localhost', 'shop-prod'], ['localhost', 'my-shop']),
  address('the sign-in page', ['localhost', 'login'], ['localhost', 'my-login']),
  address('the root of managed domains', ['localhost', 'domains'], ['localhost', 'my-domains']),
  address('a domain of another org', ['shop.domains.localhost', 'www'], ['localhost', 'my-www']),
  domain('the host of the installation', 'localhost', 'external', 'evil-one.example'),
  domain('the domain of all zones', 'shop.localhost', 'external', 'evil-two.example'),
  domain('a public suffix', 'co.uk', 'external', 'evil.co.uk'),
  domain('a name that visitors trust', 'login.domains.localhost', 'managed', 'evil-login.domains.localhost'),
  domain('the domain of all managed names', 'domains.localhost', 'managed', 'evil-all.domains.localhost'),
  {
    name: 'mallory claims a domain of another org',
    attempt: async (world) => {
      const body = { name: 'shop.domains.localhost', kind: 'managed' };
      await world.write('POST', '/v1/orgs/acme/domains', 'ada', body);
      return await claims(world, 'shop.domains.localhost');
    },
    counter: async (world) => await claims(world, 'evil-shop.domains.localhost'),
  },
  {
    name: 'a member stops a Product with a version that cannot be compared',
    attempt: async ({ call }) => {
      const body = { product: 'shop', version: hugeVersion };
      return (await call('POST', '/v1/orgs/acme/releases', { as: 'alice', body })).ok;
    },
    counter: async () => /^v\d+\.\d+\.\d+$/.test(hugeVersion) && semver.valid(hugeVersion) === null,
  },
  {
    name: 'a glob for branches stops the worker of all orgs',
    attempt: async () => isSlow(() => void matchesGlob('*a*a*a*b', hostileBranch)),
    counter: async () => isSlow(() => void /^[^/]*a[^/]*a[^/]*a[^/]*a[^/]*b$/.test(hostileBranch)),
  },
  {
    name: 'mallory writes a glob with many stars',
    attempt: async (world) => await createsGlob(world, 'many', '*a*a*a*a*a*b'),
    counter: async (world) => await createsGlob(world, 'few', '*a*b'),
  },
]);

/** A namespace exists before mallory asks for a zone of that name. With labels of ours, it is that of her own zone. */
async function adoptsNamespace(world: World, name: string, isOwn: boolean): Promise<boolean> {
  const product = `with-${name}`;
  const create = async (zones: object[]) =>
    await world.write('POST', `${evil}/products`, 'mallory', {
      name: product,
      spec: { repos: [], delivery: { zones } },
    });
  await create([toZone(`first-${name}`)]);
  await world.withStore(async (store) => {
    const { metadata } = await store.get(ProductKind, { namespace: 'org-evil', name: product });
    const owner = { org: 'evil', product, zone: name, uid: metadata.uid };
    await store.create(NamespaceKind, {
      metadata: { namespace: '', name, labels: isOwn ? zoneNamespaceLabels(owner) : {} },
    });
  });
  return (await world.call('POST', `${evil}/products/${product}/zones`, { as: 'mallory', body: toZone(name) })).ok;
}

async function createsGlob({ call }: World, name: string, glob: string): Promise<boolean> {
  const triggers = [{ type: 'onChange', branches: [glob] }];
  const spec = { enabled: false, triggers, steps: [{ name: 'decide', type: 'human' }] };
  return (await call('POST', `${evil}/agentworkflows`, { as: 'mallory', body: { name, spec } })).ok;
}
