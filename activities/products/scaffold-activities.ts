import { Context } from '@temporalio/activity';
import { notFound, ServiceError } from '../../src/errors.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { readArchive } from '../../src/integrations/archives/read-archive.ts';
import { readTemplate } from '../../src/integrations/templates/read-template.ts';
import { archiveKey } from '../../src/rules/products/archive-limits.ts';
import { assertProductActive } from '../../src/rules/products/assert-product-active.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import {
  describeSource,
  type ProductScaffold,
  type ProductSource,
  scaffoldMarker,
} from '../../src/rules/products/source.ts';
import type { SourceFile } from '../../src/rules/products/source-file.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ScaffoldProductInput } from '../../workflows/products/messages.ts';
import { findReleaseByCommit } from '../releases/create-release.ts';
import { pushSource } from './push-source.ts';

export type ScaffoldDeps = { store: Store; blobs: Blobs; codehost: Codehost };
type ScaffoldRef = Omit<ScaffoldProductInput, 'by'>;

export function createScaffoldActivities({ store, blobs, codehost }: ScaffoldDeps) {
  const toRef = ({ org, product }: ScaffoldRef) => ({ namespace: orgNamespace(org), name: product });

  /** Throws when the Product is gone, or a Product of the same name has replaced it. */
  const getScaffold = async (ref: ScaffoldRef): Promise<{ product: Product; source: ProductSource }> => {
    const product = await store.find(ProductKind, toRef(ref));
    const source = product?.spec.source;
    if (product?.metadata.uid !== ref.uid || source === undefined)
      throw notFound('Product', ref.product, `org "${ref.org}" with the uid ${ref.uid}`);
    assertProductActive(product);
    return { product, source };
  };

  return {
    /** Creates the repo. Its description contains a marker, so a retry recognizes the repo and takes no other one. */
    createSourceRepo: async (ref: ScaffoldRef): Promise<void> => {
      const { product, source } = await getScaffold(ref);
      const { repo } = source;
      // People may change the description once the repo contains the files.
      if (product.status?.scaffold?.commit !== undefined) return;
      const host = await codehost.forOrg(ref.org);
      const marker = scaffoldMarker(ref.uid);
      const existing = await host.findRepository(repo);
      if (existing === undefined)
        await host.ensureRepository(repo, `${ref.product}, made from ${describeSource(source)} ${marker}`);
      const found = existing ?? (await host.findRepository(repo));
      if (!found?.description.includes(marker)) throw repoExists(repo, 'was not made for this Product');
    },

    /** Makes the files of the source the first commit on the default branch of the repo, and returns it. */
    commitSource: async (ref: ScaffoldRef): Promise<{ repo: string; commit: string }> => {
      const { product, source } = await getScaffold(ref);
      const { repo } = source;
      const host = await codehost.forOrg(ref.org);
      const { defaultBranch } = await host.getRepository(repo);
      const commit = await pushSource(host, {
        repo,
        branch: defaultBranch,
        uid: ref.uid,
        subject: `Create ${ref.product} from ${describeSource(source)}`,
        commitDate: product.metadata.creationTimestamp,
        readFiles: () => readSourceFiles(blobs, source, ref),
        signal: Context.current().cancellationSignal,
      });
      if (commit === undefined) throw repoExists(repo, 'has commits that the service did not make');
      return { repo, commit };
    },

    /** Returns true when the first Release exists already, because an earlier attempt has started it. */
    hasRelease: async (ref: { org: string; product: string; commit: string }): Promise<boolean> =>
      (await findReleaseByCommit(store, ref)) !== undefined,

    /** Returns false when there is nothing to continue with, because the Product is gone or is being deleted. */
    recordScaffold: async ({
      patch,
      ...ref
    }: ScaffoldRef & {
      patch: Partial<ProductScaffold> & Pick<ProductScaffold, 'phase' | 'message'>;
    }): Promise<boolean> => {
      const product = await store.find(ProductKind, toRef(ref));
      if (product?.metadata.uid !== ref.uid) return false;
      const updated = await store.updateStatus(ProductKind, toRef(ref), ({ status }) => {
        const { failure: _failure, finishedAt: _finishedAt, ...before } = status?.scaffold ?? {};
        return { ...status, scaffold: { startedAt: new Date().toISOString(), ...before, ...patch } };
      });
      return !isProductDeleting(updated);
    },
  };
}

async function* readSourceFiles(
  blobs: Blobs,
  { template, archive }: ProductSource,
  { org, product }: ScaffoldRef,
): AsyncGenerator<SourceFile> {
  if (template !== undefined) return yield* await readTemplate(template, product);
  const sha256 = archive?.sha256 ?? '';
  const bytes = await blobs.find(archiveKey({ org, sha256 }));
  if (!bytes) throw notFound('archive', sha256, `org "${org}", which stores an upload for 7 days`);
  yield* readArchive(bytes);
}

const repoExists = (repo: string, cause: string): ServiceError =>
  new ServiceError(
    'repo-exists',
    `The code host has a repo ${repo} that ${cause}, or that the org's application cannot read.`,
  );
