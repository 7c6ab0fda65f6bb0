import { Context } from '@temporalio/activity';
import { isServiceError, notFound, ServiceError } from '../src/errors.ts';
import type { Blobs } from '../src/integrations/blobs/blobs.ts';
import type { Codehost } from '../src/integrations/codehost/codehost.ts';
import { outlineText } from '../src/integrations/images/outline-text.ts';
import { svgProblems } from '../src/integrations/images/svg-problems.ts';
import type { Models } from '../src/integrations/models/models.ts';
import { drawLogo } from '../src/rules/catalog/draw-logos.ts';
import { type ProductLogo, ProductKind } from '../src/rules/catalog/kinds.ts';
import {
  type LogoDirection,
  type LogoSuggestion,
  type LogoType,
  logoBytesMax,
  logoKey,
  logoPath,
  logoPaths,
  suggestionKey,
} from '../src/rules/catalog/logo.ts';
import { logoQuestion, svgIn } from '../src/rules/catalog/logo-question.ts';
import { orgNamespace } from '../src/rules/resource.ts';
import type { Store } from '../src/store/store.ts';
import { mergeEdit } from './merge-edit.ts';

export type LogoDeps = { store: Store; blobs: Blobs; codehost: Codehost; models: Models };
type ProductRef = { org: string; product: string };
export type CommitLogo = ProductRef & { repo: string; hash: string; type: LogoType };
export type DesignLogo = ProductRef & { round: string; direction: LogoDirection };

/** How often a model that is away is asked before the built-in design takes the place of its own. */
const asksMax = 2;

export function createLogoActivities({ store, blobs, codehost, models }: LogoDeps) {
  const refOf = ({ org, product }: ProductRef) => ({ namespace: orgNamespace(org), name: product });

  /** Undefined where the model gives no picture that may be kept. */
  const askForLogo = async ({ org, direction }: DesignLogo, about: { name: string; description?: string }) => {
    const { attempt } = Context.current().info;
    try {
      const model = await models.forOrg(org);
      const answer = await model.answer({
        ...logoQuestion(direction, about),
        tools: [],
        signal: Context.current().cancellationSignal,
      });
      const svg = svgIn(answer.text);
      if (svg === undefined || svgProblems(Buffer.from(svg)).length > 0) return undefined;
      return Buffer.byteLength(svg) > logoBytesMax ? undefined : { svg, model: model.name, usage: answer.usage };
    } catch (error) {
      Context.current().cancellationSignal.throwIfAborted();
      const mayPass = isServiceError(error, 'unavailable') || isServiceError(error, 'too-many-requests');
      if (!(error instanceof ServiceError) || (mayPass && attempt < asksMax)) throw error;
      return undefined;
    }
  };

  return {
    /** Commits the image that was put aside through a pull request, in the place of the logo before; says so on the Product. */
    commitLogo: async ({ repo, hash, type, ...ref }: CommitLogo): Promise<ProductLogo> => {
      const bytes = await blobs.find(logoKey({ ...ref, hash }));
      if (!bytes) throw notFound('logo', hash, `Product "${ref.product}"`);
      const host = await codehost.forOrg(ref.org);
      const { defaultBranch } = await host.repository(repo);
      const path = logoPath(type);
      const others = logoPaths.filter((other) => other !== path);
      const there = await Promise.all(others.map(async (other) => await host.fileSha(repo, other, defaultBranch)));
      const replaced = others.filter((_, index) => there[index] !== undefined);
      const edited = await mergeEdit(host, {
        repo,
        defaultBranch,
        branch: `service/logo-${hash.slice(0, 12)}`,
        title: `A logo for ${ref.product}`,
        body: `Keeps the logo of ${ref.product} as ${path}.`,
        changesOn: async () => [{ path, content: bytes }, ...replaced.map((other) => ({ path: other, content: null }))],
      });
      if (edited.outcome === 'refused') throw new ServiceError('conflict', edited.message);
      const { commit, pullRequest } = edited;
      const logo = { repo, path, type, commit, ...(pullRequest && { pullRequest }) };
      await store.updateStatus(ProductKind, refOf(ref), ({ status }) => ({ ...status, logo }));
      return logo;
    },

    /** Designs one suggestion and puts it where the others are; one that is there is not asked for again. */
    designLogo: async (input: DesignLogo): Promise<void> => {
      const key = suggestionKey(input);
      if (await blobs.find(key)) return;
      const { spec } = await store.get(ProductKind, refOf(input));
      const name = spec.displayName ?? input.product;
      const asked = await askForLogo(input, { name, ...(spec.description && { description: spec.description }) });
      const { direction } = input;
      const suggestion: LogoSuggestion = asked
        ? { direction, source: 'model', ...asked }
        : { direction, source: 'built-in', svg: drawLogo(name, direction, await outlineText()) };
      await blobs.put(key, Buffer.from(JSON.stringify(suggestion)));
    },
  };
}
