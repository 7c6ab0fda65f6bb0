import { isServiceError, ServiceError } from '../../errors.ts';
import type { ModelPrice } from '../../rules/agents/model-prices.ts';
import type { ModelProvider } from '../../rules/agents/model-provider.ts';
import { type KnownModel, knownModels } from './known-models.ts';
import { listModels } from './list-models.ts';
import type { Models, OfferedModel, Question } from './models.ts';
import { openModel, type Used } from './open-model.ts';

export type ModelsOptions = {
  /** The org's own provider, with its secrets. */
  providerOf: (org: string) => Promise<ModelProvider | undefined>;
  pricesOf: (org: string) => Promise<ModelPrice[]>;
  /** For orgs without one of their own. */
  installation: ModelProvider | undefined;
  /** How long an answer may take; 15 minutes when absent. */
  answerTimeoutMs?: number;
};

const installationSettings = { apiKey: 'MODEL_API_KEY', model: 'MODEL_NAME', baseUrl: 'MODEL_BASE_URL' };

/** A person waits for the settings to be saved, and the answer is a word. */
const checkTimeoutMs = 30_000;

/** With a tool, since agents can do nothing with a model that knows none. */
const tinyQuestion: Question = {
  system: 'You are being checked.',
  messages: [{ role: 'user', content: 'Answer with the word OK.' }],
  tools: [{ name: 'finish', description: 'Ends the work.', parameters: { type: 'object', properties: {} } }],
};

/** Models by the org's own provider and prices, or else by the installation's. */
export function createModels({ providerOf, pricesOf, installation, answerTimeoutMs }: ModelsOptions): Models {
  const find = async (org: string): Promise<Used | undefined> => {
    const own = await providerOf(org);
    if (own) return { provider: own, settings: settingsOf(`the model-provider of org "${org}"`), answerTimeoutMs };
    return installation && { provider: installation, settings: installationSettings, answerTimeoutMs };
  };
  const get = async (org: string): Promise<Used> => {
    const used = await find(org);
    if (used) return used;
    const fix = `An org-admin names one with PUT /v1/orgs/${org}/model-provider.`;
    throw new ServiceError('forbidden', `The org "${org}" has no model. ${fix}`);
  };

  return {
    installation: installation && { kind: installation.kind, model: installation.model },
    async forOrg(org, model) {
      const [used, prices] = await Promise.all([get(org), pricesOf(org)]);
      return await openModel(used, { name: model ?? used.provider.model, prices });
    },
    async offered(org) {
      const [used, prices] = await Promise.all([find(org), pricesOf(org)]);
      if (!used) return [];
      const [known, names] = await Promise.all([knownModels(used.provider), listModels(used)]);
      const isDefault = (model: string): boolean => model === used.provider.model;
      const all = new Set([used.provider.model, ...names, ...prices.map(({ model }) => model)]);
      return [...all]
        .toSorted()
        .map((model) => ({ ...offer(model, known(model), prices), isDefault: isDefault(model) }));
    },
    async check(provider) {
      const model = await openModel(
        { provider, settings: settingsOf('the model-provider') },
        { name: provider.model, prices: [] },
      );
      const signal = AbortSignal.timeout(checkTimeoutMs);
      await model.answer({ ...tinyQuestion, signal }).catch((error: unknown) => {
        throw signal.aborted ? tooSlow() : asSetting(error);
      });
    },
  };
}

const settingsOf = (where: string) => ({
  apiKey: `the key of ${where}`,
  model: `the model of ${where}`,
  baseUrl: `the base URL of ${where}`,
});

function offer(
  model: string,
  known: KnownModel | undefined,
  prices: readonly ModelPrice[],
): Omit<OfferedModel, 'isDefault'> {
  const own = prices.find((price) => price.model === model);
  const price = own ? { ...own, source: 'org' as const } : known && { ...known.price, source: 'known' as const };
  return {
    model,
    ...(known?.contextTokens !== undefined && { contextTokens: known.contextTokens }),
    ...(price && { price }),
  };
}

/** What a setting causes is for whoever saves it to mend; an overloaded provider is not. */
function asSetting(error: unknown): unknown {
  if (!isServiceError(error) || error.errors.length === 0) return error;
  return new ServiceError('invalid', error.message, { errors: error.errors });
}

function tooSlow(): ServiceError {
  const detail = `gave no answer within ${checkTimeoutMs / 1000} seconds`;
  return new ServiceError('invalid', `The provider ${detail}. Check the base URL.`, {
    errors: [{ pointer: '/baseUrl', detail }],
  });
}
