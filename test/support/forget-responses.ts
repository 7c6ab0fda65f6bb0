import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { requestLabels } from '../../src/rules/expiry.ts';
import type { Store } from '../../src/store/store.ts';

/** Deletes the stored responses, as if the process had been killed before it stored them. */
export async function forgetResponses(store: Store): Promise<void> {
  for (const { metadata } of (await store.list(ConfigMapKind, { labels: requestLabels })).items)
    await store.delete(ConfigMapKind, metadata);
}
