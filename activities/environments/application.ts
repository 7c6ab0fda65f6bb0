import { isDeepStrictEqual } from 'node:util';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import {
  type Application,
  ApplicationKind,
  cascadeFinalizer,
  ownCluster,
  refreshAnnotation,
} from '../../src/kinds/argo-cd.ts';
import { orgProjectName } from '../../src/rules/environments/org-project.ts';
import { chartPath, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import type { Product } from '../../src/rules/products/kinds.ts';
import { orgNamespace, ownerReference } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrCreate } from '../get-or-create.ts';

type ZoneRef = { org: string; product: string; zone: string };
type ApplicationInput = { org: string; product: Product; zone: string; repoUrl: string; branch: string };
const toRef = ({ org, zone }: Pick<ZoneRef, 'org' | 'zone'>) => ({ namespace: orgNamespace(org), name: zone });

/** A newer commit must not wait for a long time until the retries of a commit that cannot be deployed are over. */
const syncRetry = { limit: 5, refresh: true, backoff: { duration: '5s', factor: 2, maxDuration: '20s' } };

/**
 * Creates the Application of a zone, or updates its source. The Application has its finalizer from the start, because
 * none can be added once its deletion has begun.
 */
export async function ensureApplication(store: Store, { product, ...zone }: ApplicationInput): Promise<void> {
  const { cluster } = product.spec.delivery.zones.find(({ name }) => name === zone.zone) ?? {};
  const destination = {
    ...(cluster === undefined ? { server: ownCluster } : { name: cluster }),
    namespace: zone.zone,
  };
  const spec: Application['spec'] = {
    project: orgProjectName(zone.org),
    source: {
      repoURL: zone.repoUrl,
      targetRevision: zone.branch,
      path: chartPath(product.metadata.name),
      helm: { valueFiles: [`/${zoneValuesPath(product.metadata.name, zone.zone)}`] },
    },
    destination,
    syncPolicy: {
      automated: { prune: true, selfHeal: true },
      retry: syncRetry,
    },
  };
  const metadata = { ...toRef(zone), finalizers: [cascadeFinalizer], ownerReferences: [ownerReference(product)] };
  for (;;) {
    const existing = await getOrCreate(store, ApplicationKind, { metadata, spec });
    assertUnchanged(existing, spec);
    if (isDeepStrictEqual(existing.spec.source, spec.source)) return;
    try {
      await store.replace(ApplicationKind, { ...existing, spec: { ...existing.spec, source: spec.source } });
    } catch (error) {
      // The controller writes the Application too, and a person may delete it.
      if (!isServiceError(error, 'conflict') && !isServiceError(error, 'not-found')) throw error;
    }
  }
}

/** Throws when the Application names another project or namespace than the service has written. */
function assertUnchanged({ metadata, spec }: Application, { project, destination }: Application['spec']): void {
  if (spec.project === project && isDeepStrictEqual(spec.destination, destination)) return;
  const { server = '', name = server, namespace } = spec.destination;
  throw new ServiceError(
    'application-changed',
    `The Application "${metadata.name}" was changed: it deploys to the namespace "${namespace}" of ${name} in the project "${spec.project}". Delete the Application; the service creates it again.`,
  );
}

/** Makes the controller read the repo at once instead of at its next poll. */
export async function refreshApplication(store: Store, zone: ZoneRef): Promise<void> {
  await changeApplication(store, zone, (application) => {
    if (application.metadata.annotations?.[refreshAnnotation]) return undefined;
    const annotations = { ...application.metadata.annotations, [refreshAnnotation]: 'normal' };
    return { ...application, metadata: { ...application.metadata, annotations } };
  });
}

/** Makes the controller read the same files at another URL. */
export async function moveApplication(
  store: Store,
  zone: Pick<ZoneRef, 'org' | 'zone'>,
  repoURL: string,
): Promise<void> {
  await changeApplication(store, zone, ({ spec, ...application }) =>
    spec.source.repoURL === repoURL
      ? undefined
      : { ...application, spec: { ...spec, source: { ...spec.source, repoURL } } },
  );
}

/** Changes the Application of a zone unless it is gone, or the change is undefined. */
export async function changeApplication(
  store: Store,
  zone: Pick<ZoneRef, 'org' | 'zone'>,
  change: (application: Application) => Application | undefined,
): Promise<void> {
  for (;;) {
    const application = await store.find(ApplicationKind, toRef(zone));
    const changed = application && change(application);
    if (!changed) return;
    try {
      await store.replace(ApplicationKind, changed);
      return;
    } catch (error) {
      if (!isServiceError(error, 'conflict') && !isServiceError(error, 'not-found')) throw error;
    }
  }
}
