import { type Application, ApplicationKind, cascadeFinalizer, refreshAnnotation } from '../../kinds/argo-cd.ts';
import type { Store } from '../../store/store.ts';

export async function removeRefreshAnnotation(store: Store, application: Application): Promise<void> {
  const { [refreshAnnotation]: _, ...annotations } = application.metadata.annotations ?? {};
  await store.replace(ApplicationKind, { ...application, metadata: { ...application.metadata, annotations } });
}

export async function removeCascadeFinalizer(store: Store, application: Application): Promise<void> {
  const { metadata } = application;
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== cascadeFinalizer);
  await store.replace(ApplicationKind, { ...application, metadata: { ...metadata, finalizers } });
}
