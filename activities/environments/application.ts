import { isServiceError } from '../../src/errors.ts';
import { ApplicationKind, cascadeFinalizer, refreshAnnotation } from '../../src/kinds/argo-cd.ts';
import { zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace-labels.ts';
import { chartPath, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace, ownerReference } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrCreate } from '../get-or-create.ts';

type ZoneRef = { org: string; product: string; zone: string };
const toRef = ({ org, zone }: Pick<ZoneRef, 'org' | 'zone'>) => ({ namespace: orgNamespace(org), name: zone });

/** The Application has its finalizer from the start, because none can be added once its deletion has begun. */
export async function ensureApplication(
  store: Store,
  zone: ZoneRef & { repoUrl: string; branch: string },
): Promise<void> {
  const product = await store.get(ProductKind, { namespace: orgNamespace(zone.org), name: zone.product });
  const { cluster } = product.spec.delivery.zones.find(({ name }) => name === zone.zone) ?? {};
  const destination = cluster === undefined ? { server: 'https://kubernetes.default.svc' } : { name: cluster };
  await getOrCreate(store, ApplicationKind, {
    metadata: { ...toRef(zone), finalizers: [cascadeFinalizer], ownerReferences: [ownerReference(product)] },
    spec: {
      project: 'default',
      source: {
        repoURL: zone.repoUrl,
        targetRevision: zone.branch,
        path: chartPath(zone.product),
        helm: { valueFiles: [`/${zoneValuesPath(zone.product, zone.zone)}`] },
      },
      destination: { ...destination, namespace: zone.zone },
      syncPolicy: {
        automated: { prune: true, selfHeal: true },
        syncOptions: ['CreateNamespace=true'],
        managedNamespaceMetadata: { labels: zoneNamespaceLabels(zone) },
      },
    },
  });
}

/** Makes the controller read the repo at once instead of at its next poll. */
export async function refreshApplication(store: Store, zone: ZoneRef): Promise<void> {
  for (;;) {
    const application = await store.find(ApplicationKind, toRef(zone));
    if (!application || application.metadata.annotations?.[refreshAnnotation]) return;
    const annotations = { ...application.metadata.annotations, [refreshAnnotation]: 'normal' };
    try {
      await store.replace(ApplicationKind, { ...application, metadata: { ...application.metadata, annotations } });
      return;
    } catch (error) {
      if (!isServiceError(error, 'conflict')) throw error;
    }
  }
}
