import type { Blobs } from '../src/integrations/blobs/blobs.ts';
import type { Codehost } from '../src/integrations/codehost/codehost.ts';
import { notFound } from '../src/errors.ts';
import { ConfigMapKind } from '../src/rules/core-kinds.ts';
import { runPrefix } from '../src/rules/agents/transcript-keys.ts';
import { AgentWorkflowRunKind } from '../src/rules/changes/kinds.ts';
import { ProductKind, type Product } from '../src/rules/catalog/kinds.ts';
import { logosPrefix } from '../src/rules/catalog/logo.ts';
import { productClaim, zoneClaim } from '../src/rules/catalog/claims.ts';
import { addressClaim } from '../src/rules/domains/address-claims.ts';
import { hostOf } from '../src/rules/domains/addresses.ts';
import type { DomainSettings } from '../src/rules/domains/kinds.ts';
import { orgNamespace, systemNamespace } from '../src/rules/resource.ts';
import { environmentsFinalizer } from '../src/rules/taken-up.ts';
import type { Store } from '../src/store/store.ts';
import type { LabelIssueInput } from '../workflows/catalog/messages.ts';

export type CatalogDeps = {
  store: Store;
  codehost: Codehost;
  blobs: Blobs;
  domains: Pick<DomainSettings, 'platformDomain'>;
};
type ProductRef = { org: string; product: string };

export function createCatalogActivities({ store, codehost, blobs, domains }: CatalogDeps) {
  const refOf = ({ org, product }: ProductRef) => ({ namespace: orgNamespace(org), name: product });
  return {
    /** Creates an issue from the text put aside for it, once: a marker in its body tells a second attempt. */
    createIssue: async ({
      org,
      repo,
      requestKey,
    }: {
      org: string;
      repo: string;
      requestKey: string;
    }): Promise<{ number: number }> => {
      const bytes = await blobs.find(requestKey);
      if (!bytes) throw notFound('request', requestKey, `org "${org}"`);
      const { title, body, labels } = JSON.parse(Buffer.from(bytes).toString('utf8')) as {
        title: string;
        body: string;
        labels: string[];
      };
      const host = await codehost.forOrg(org);
      const marker = `<!-- service-request: ${requestKey} -->`;
      const existing = (await host.issues(repo, { state: 'all' })).find((issue) => issue.body.includes(marker));
      const { number } = existing ?? (await host.createIssue(repo, { title, labels, body: `${body}\n\n${marker}` }));
      return { number };
    },

    labelIssue: async ({ org, repo, number, add, remove }: LabelIssueInput): Promise<void> => {
      const host = await codehost.forOrg(org);
      if (add.length > 0) await host.addLabels(repo, number, add);
      for (const label of remove) await host.removeLabel(repo, number, label);
    },

    /** Marks the Product as going and answers its zones, those that run something without being in the spec included. */
    beginProductDeletion: async (ref: ProductRef): Promise<string[]> => {
      const product = await store.find(ProductKind, refOf(ref));
      if (!product) return [];
      await store.updateStatus(ProductKind, refOf(ref), ({ status }) => ({
        ...status,
        deletion: 'its environments are being removed',
      }));
      const named = [...product.spec.delivery.zones, ...(product.status?.zones ?? [])].map(({ name }) => name);
      return [...new Set(named)];
    },

    /** Deletes the Product with all that its runs left, and gives the names free that it had claimed. */
    forgetProduct: async ({ zones, ...ref }: ProductRef & { zones: string[] }): Promise<void> => {
      const { items: runs } = await store.list(AgentWorkflowRunKind, {
        namespace: orgNamespace(ref.org),
        fields: { 'spec.product': ref.product },
      });
      // Before their runs, which an attempt after this one would not find any more.
      for (const { metadata } of runs) await blobs.deleteAll(runPrefix(metadata.uid));
      await blobs.deleteAll(logosPrefix(ref.org, ref.product));
      const product = await store.find(ProductKind, refOf(ref));
      // Before the Product, which alone knows them.
      const addresses = (product?.spec.delivery.zones ?? []).flatMap((zone) => (zone.addresses ?? []).map(hostOf));
      await forgetClaims(addresses.map((host) => addressClaim(host, domains.platformDomain)));
      if (product) await deleteForGood(product);
      await forgetClaims([productClaim(ref.product), ...zones.map(zoneClaim)]);
    },
  };

  /** Its finalizer has kept it until now; whoever deleted it in the cluster waits for this. */
  async function deleteForGood({ metadata }: Product): Promise<void> {
    await store.delete(ProductKind, metadata);
    const held = await store.find(ProductKind, metadata);
    if (!held) return;
    const finalizers = (held.metadata.finalizers ?? []).filter((one) => one !== environmentsFinalizer);
    await store.replace(ProductKind, { ...held, metadata: { ...held.metadata, finalizers } });
  }

  async function forgetClaims(names: string[]): Promise<void> {
    for (const name of names) {
      const claim = { namespace: systemNamespace, name };
      if (await store.find(ConfigMapKind, claim)) await store.delete(ConfigMapKind, claim);
    }
  }
}
