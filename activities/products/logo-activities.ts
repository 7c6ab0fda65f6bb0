import { Context } from '@temporalio/activity';
import { isServiceError, notFound, ServiceError } from '../../src/errors.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
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
  logoPaths,
  suggestionKey,
} from '../../src/rules/products/logo.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { CommitLogoInput, SuggestLogosInput } from '../../workflows/products/messages.ts';
import { mergeEdit } from '../codehost/merge-edit.ts';

export type LogoDeps = { store: Store; blobs: Blobs; codehost: Codehost; models: Models };
type ProductRef = { org: string; product: string };
type DesignLogoInput = SuggestLogosInput & { direction: LogoDirection };

/** After this many failed requests to the model, the built-in design is used instead. */
const modelAttemptsMax = 2;

export function createLogoActivities({ store, blobs, codehost, models }: LogoDeps) {
  const toRef = ({ org, product }: ProductRef) => ({ namespace: orgNamespace(org), name: product });

  /** Returns undefined when the response has no usable image. */
  const generateLogo = async ({ org, direction }: DesignLogoInput, about: { name: string; description?: string }) => {
    const { attempt } = Context.current().info;
    try {
      const model = await models.forOrg(org);
      const response = await model.generate({
        ...buildLogoPrompt(direction, about),
        tools: [],
        signal: Context.current().cancellationSignal,
      });
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
      const otherPaths = logoPaths.filter((other) => other !== path);
      const shas = await Promise.all(
        otherPaths.map(async (other) => await host.findFileSha(repo, other, defaultBranch)),
      );
      const replaced = otherPaths.filter((_, index) => shas[index] !== undefined);
      const edit = await mergeEdit(host, {
        repo,
        defaultBranch,
        branch: `service/logo-${hash.slice(0, 12)}`,
        title: `Set the logo of ${ref.product}`,
        body: `Saves the logo of ${ref.product} as ${path}.`,
        changesAt: async () => [{ path, content: bytes }, ...replaced.map((other) => ({ path: other, content: null }))],
      });
      if (edit.outcome === 'refused') throw new ServiceError('pull-request-not-mergeable', edit.message);
      const { commit, pullRequest } = edit;
      const logo = { repo, path, type, commit, ...(pullRequest && { pullRequest }) };
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
