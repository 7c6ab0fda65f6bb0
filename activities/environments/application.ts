import { isServiceError } from '../../src/errors.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { ApplicationKind, cascadeFinalizer, refreshAnnotation } from '../../src/rules/environments/delivery-kinds.ts';
import { zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace.ts';
import { chartPath, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { orgNamespace, ownerReference } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { createOrGet } from '../create-or-get.ts';

type ZoneRef = { org: string; product: string; zone: string };
const refOf = ({ org, zone }: Pick<ZoneRef, 'org' | 'zone'>) => ({ namespace: orgNamespace(org), name: zone });

/** The finalizer is there from the beginning: it cannot be added once a deletion has begun. */
export async function ensureApplication(
  store: Store,
  zone: ZoneRef & { repoUrl: string; branch: string },
): Promise<void> {
  const product = await store.get(ProductKind, { namespace: orgNamespace(zone.org), name: zone.product });
  const { cluster } = product.spec.delivery.zones.find(({ name }) => name === zone.zone) ?? {};
  const destination = cluster === undefined ? { server: 'https://kubernetes.default.svc' } : { name: cluster };
  await createOrGet(store, ApplicationKind, {
    metadata: { ...refOf(zone), finalizers: [cascadeFinalizer], ownerReferences: [ownerReference(product)] },
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

/** Has the controller look at once instead of at its next poll. */
export async function refreshApplication(store: Store, zone: ZoneRef): Promise<void> {
  for (;;) {
    const application = await store.find(ApplicationKind, refOf(zone));
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
