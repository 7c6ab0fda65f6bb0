import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind, type ZoneStatus } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { pushBranch, startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { openUi } from './open-ui.ts';
import type { UiOptions } from './ui-fixture.ts';

const namespace = 'org-acme';
const at = '2026-11-19T13:00:00Z';
export const zones = ['till-rc', 'till-prod'] as const;

/** Opens the UI for an org admin of an org whose code host has the repo acme/shop. */
export async function openConnectedUi(expected: RegExp[] = [], options: Pick<UiOptions, 'createTemporal'> = {}) {
  const { codehost, app } = await startShopFixture();
  const world = await openUi({ role: 'org-admin', codehostApiUrl: codehost.apiUrl, expected, ...options });
  const credentials = { 'app-id': String(app.id), 'private-key': app.pem };
  const encoded = Object.entries(credentials).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  await world.store.create(SecretKind, {
    metadata: { namespace, name: 'codehost-app' },
    type: 'Opaque',
    data: Object.fromEntries(encoded) as Record<string, string>,
  });
  const push = async (file: string): Promise<string> =>
    await pushBranch(codehost, { token: codehost.userToken, branch: 'main', files: { [file]: `${file}\n` } });
  return { ...world, push };
}

const verified = { phase: 'Verified' as const, startedAt: at, healthyAt: at, verifiedAt: at };

export async function createTillRelease(
  store: Store,
  version: string,
  { commit, ...status }: Partial<ReleaseStatus> & { commit: string },
): Promise<void> {
  const ref = { namespace, name: `till-${version}` };
  await store.create(ReleaseKind, {
    metadata: ref,
    spec: { product: 'till', repo: 'acme/shop', commit, version, startedBy: 'jo@example.com' },
  });
  const built: ReleaseStatus = {
    phase: 'Promoting',
    startedAt: at,
    builtAt: '2026-11-19T13:04:00Z',
    taggedAt: '2026-11-19T13:04:10Z',
    digest: `sha256:${commit}`,
    zones: [],
  };
  await store.updateStatus(ReleaseKind, ref, () => ({ ...built, ...status }));
}

/** Records what a zone of the Product "till" runs, or is about to run. */
export async function recordZone(store: Store, name: string, status: Partial<ZoneStatus>): Promise<void> {
  await store.updateStatus(ProductKind, { namespace, name: 'till' }, ({ status: before }) => ({
    ...before,
    zones: zones.map((zone) => ({
      ...before?.zones?.find((one) => one.name === zone),
      name: zone,
      ...(zone === name && status),
    })),
  }));
}

/** Creates the Product "till": v1.1.0 runs in pre-production, and waits for approval for production with v1.0.0. */
export async function seedTill(store: Store, commits: { one: string; two: string; three: string }): Promise<void> {
  await store.create(ProductKind, {
    metadata: { namespace, name: 'till' },
    spec: {
      displayName: 'Till',
      repos: ['acme/shop'],
      delivery: { zones: [{ name: zones[0] }, { name: zones[1], promotionPolicy: 'after-approval' }] },
    },
  });
  const both = zones.map((name) => ({ name, ...verified }));
  await createTillRelease(store, 'v1.0.0', { commit: commits.one, phase: 'Succeeded', finishedAt: at, zones: both });
  await createTillRelease(store, 'v1.1.0', {
    commit: commits.two,
    zones: [
      { name: zones[0], ...verified },
      { name: zones[1], phase: 'WaitingForApproval', waitingFor: { role: 'member', since: at, message: 'approve it' } },
    ],
  });
  await createTillRelease(store, 'v1.2.0', { commit: commits.three, zones: [{ name: zones[0], phase: 'Deploying' }] });
  await recordZone(store, zones[0], {
    release: 'till-v1.1.0',
    version: 'v1.1.0',
    commit: commits.two,
    digest: `sha256:${commits.two}`,
    verifiedAt: at,
  });
  await recordZone(store, zones[1], {
    release: 'till-v1.0.0',
    version: 'v1.0.0',
    commit: commits.one,
    digest: `sha256:${commits.one}`,
    verifiedAt: at,
    currentPromotion: { release: 'till-v1.1.0', version: 'v1.1.0', phase: 'WaitingForApproval' },
  });
}
