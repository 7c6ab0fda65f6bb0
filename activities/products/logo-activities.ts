import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { isServiceError, notFound, ServiceError } from '../../src/errors.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { Codehost, FileChange } from '../../src/integrations/codehost/codehost.ts';
import { createTextOutliner } from '../../src/integrations/images/create-text-outliner.ts';
import { svgViolations } from '../../src/integrations/images/svg-violations.ts';
import type { Models } from '../../src/integrations/models/models.ts';
import { buildLogoPrompt, extractSvg } from '../../src/rules/products/build-logo-prompt.ts';
import { drawLogo } from '../../src/rules/products/draw-logo.ts';
import { type ProductLogo, ProductKind } from '../../src/rules/products/kinds.ts';
import {
  type LogoDirection,
  type LogoSuggestion,
  logoBytesMax,
  logoKey,
  logoPath,
  logosPrefix,
  logoTypes,
  suggestionKey,
} from '../../src/rules/products/logo.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { Usage } from '../../src/rules/changes/kinds.ts';
import { addToLedger } from '../agents/usage-ledgers.ts';
import type { CommitLogoInput, SuggestLogosInput } from '../../workflows/products/messages.ts';
import { mergeEdit } from '../codehost/merge-edit.ts';

export type LogoDeps = { store: Store; blobs: Blobs; codehost: Codehost; models: Models };
type ProductRef = { org: string; product: string };
type DesignLogoInput = SuggestLogosInput & { direction: LogoDirection };

/** After this many requests to the model that failed or took too long, the built-in design is used instead. */
const modelAttemptsMax = 2;

/** Returns the id that git gives to a file of this content. */
const toBlobSha = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** Logos belong to no run, so their costs have a ledger of the Product; each attempt at a design is a turn. */
async function recordLogoUsage(
  store: Store,
  { org, product, round, direction }: DesignLogoInput,
  { attempt, model, usage }: { attempt: number; model: string; usage: Usage },
): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const ledger = { org, run: `logos-of-${product}`, product, agentWorkflow: 'logo-suggestions', day };
  const step = `${round}/${direction}`;
  await addToLedger(store, ledger, { step, turn: attempt, role: 'logo-designer', model, usage });
}

export function createLogoActivities({ store, blobs, codehost, models }: LogoDeps) {
  const toRef = ({ org, product }: ProductRef) => ({ namespace: orgNamespace(org), name: product });

  /** Reports whether a file, by its id in git, is an image that a person has sent as a logo of the Product. */
  const isLogo = async ({ org, product }: ProductRef, sha: string): Promise<boolean> => {
    const prefix = logosPrefix(org, product);
    for (const key of await blobs.list(prefix)) {
      const isSuggestion = key.slice(prefix.length).includes('/');
      const bytes = isSuggestion ? undefined : await blobs.find(key);
      if (bytes && toBlobSha(bytes) === sha) return true;
    }
    return false;
  };

  /** Returns undefined when the response has no usable image. */
  const generateLogo = async (input: DesignLogoInput, about: { name: string; description?: string }) => {
    const { org, direction } = input;
    const { attempt } = Context.current().info;
    if (attempt > modelAttemptsMax) return undefined;
    try {
      const model = await models.forOrg(org);
      const response = await model.generate({
        ...buildLogoPrompt(direction, about),
        tools: [],
        signal: Context.current().cancellationSignal,
      });
      // An unusable response costs as much as a usable one.
      await recordLogoUsage(store, input, { attempt, model: model.name, usage: response.usage });
      const svg = extractSvg(response.text);
      if (svg === undefined || svgViolations(Buffer.from(svg)).length > 0) return undefined;
      return Buffer.byteLength(svg) > logoBytesMax ? undefined : { svg, model: model.name, usage: response.usage };
    } catch (error) {
      Context.current().cancellationSignal.throwIfAborted();
      const isTemporary = isServiceError(error, 'unavailable') || isServiceError(error, 'too-many-requests');
      if (!(error instanceof ServiceError) || (isTemporary && attempt < modelAttemptsMax)) throw error;
      return undefined;
    }
  };

  return {
    /** Commits the stored image through a pull request in place of an earlier logo, and records it on the Product. */
    commitLogo: async ({ repo, hash, type, ...ref }: CommitLogoInput): Promise<ProductLogo> => {
      const bytes = await blobs.find(logoKey({ ...ref, hash }));
      if (!bytes) throw notFound('logo', hash, `Product "${ref.product}"`);
      const host = await codehost.forOrg(ref.org);
      const { defaultBranch } = await host.getRepository(repo);
      const path = logoPath(type);
      /** Replaces earlier logos, and no other file: a repo may have images of these names for another purpose. */
      const changesAt = async (at: string): Promise<FileChange[]> => {
        const changes: FileChange[] = [{ path, content: bytes }];
        for (const file of logoTypes.map(logoPath)) {
          const sha = await host.findFileSha(repo, file, at);
          if (sha === undefined || sha === toBlobSha(bytes)) continue;
          const isReplaced = await isLogo(ref, sha);
          if (isReplaced && file !== path) changes.push({ path: file, content: null });
          if (!isReplaced && file === path)
            throw new ServiceError(
              'file-exists',
              `The repo ${repo} has a file ${path} that the service did not create. Rename or delete it, or send an image of another type.`,
            );
        }
        return changes;
      };
      const edit = await mergeEdit(host, {
        repo,
        defaultBranch,
        branch: `service/logo-${hash.slice(0, 12)}`,
        title: `Set the logo of ${ref.product}`,
        body: `Saves the logo of ${ref.product} as ${path}.`,
        changesAt,
      });
      if (edit.outcome !== 'merged') throw new ServiceError('pull-request-not-mergeable', edit.message);
      const { commit, pullRequest } = edit;
      const logo = { repo, path, type, hash, commit, ...(pullRequest && { pullRequest }) };
      await store.updateStatus(ProductKind, toRef(ref), ({ status }) => ({ ...status, logo }));
      return logo;
    },

    /** Designs and saves one suggestion, unless an earlier attempt has saved it. */
    designLogo: async (input: DesignLogoInput): Promise<void> => {
      const key = suggestionKey(input);
      if (await blobs.find(key)) return;
      const { spec } = await store.get(ProductKind, toRef(input));
      const name = spec.displayName ?? input.product;
      const generated = await generateLogo(input, { name, ...(spec.description && { description: spec.description }) });
      const { direction } = input;
      const suggestion: LogoSuggestion = generated
        ? { direction, source: 'model', ...generated }
        : { direction, source: 'built-in', svg: drawLogo(name, direction, await createTextOutliner()) };
      await blobs.put(key, Buffer.from(JSON.stringify(suggestion)));
    },
  };
}
