import type { Dispatcher } from 'undici';
import { isServiceError, ServiceError } from '../../errors.ts';
import type { ModelPrice } from '../../rules/agents/model-prices.ts';
import type { ModelProvider } from '../../rules/agents/model-provider.ts';
import { type KnownModel, loadKnownModels } from './known-models.ts';
import { listModels } from './list-models.ts';
import type { Models, OfferedModel, ModelRequest } from './models.ts';
import { openModel, type ConfiguredProvider } from './open-model.ts';

export type ModelsOptions = {
  /** Finds the org's own provider, with its secrets. */
  findProvider: (org: string) => Promise<ModelProvider | undefined>;
  listPrices: (org: string) => Promise<ModelPrice[]>;
  /** Used for orgs without their own provider. Its address is trusted, because the operator chose it. */
  defaultProvider: ModelProvider | undefined;
  /** Sends the requests to base URLs that tenants named. */
  judged: Dispatcher;
  /** The timeout of one response. Defaults to 15 minutes. */
  responseTimeoutMs?: number;
};

const defaultProviderSettingNames = { apiKey: 'MODEL_API_KEY', model: 'MODEL_NAME', baseUrl: 'MODEL_BASE_URL' };

/** A person waits while the settings are saved, and the expected response is one word. */
const verificationTimeoutMs = 30_000;

/** The request has a tool, because agents need a model that supports tools. */
const verificationRequest: ModelRequest = {
  system: 'This is a connection test.',
  messages: [{ role: 'user', content: 'Answer with the word OK.' }],
  tools: [{ name: 'finish', description: 'Ends the work.', parameters: { type: 'object', properties: {} } }],
};

/** Uses the org's own provider and prices, or the default provider. */
export function createModels(options: ModelsOptions): Models {
  const { findProvider, listPrices, defaultProvider, judged, responseTimeoutMs } = options;
  const find = async (org: string): Promise<ConfiguredProvider | undefined> => {
    const own = await findProvider(org);
    if (own)
      return {
        provider: own,
        judged,
        settingNames: toSettingNames(`the model-provider of org "${org}"`),
        responseTimeoutMs,
      };
    return (
      defaultProvider && { provider: defaultProvider, settingNames: defaultProviderSettingNames, responseTimeoutMs }
    );
  };
  const get = async (org: string): Promise<ConfiguredProvider> => {
    const configured = await find(org);
    if (configured) return configured;
    const fix = 'An org admin can set one (Settings, Models).';
    throw new ServiceError('model-provider-missing', `The org "${org}" has no model provider. ${fix}`);
  };

  const openForOrg: Models['forOrg'] = async (org, model) => {
    const [configured, prices] = await Promise.all([get(org), listPrices(org)]);
    return await openModel(configured, { name: model ?? configured.provider.model, prices });
  };

  return {
    defaultProvider: defaultProvider && { kind: defaultProvider.kind, model: defaultProvider.model },
    forOrg: openForOrg,
    async verifyOrg(org, signal) {
      const model = await openForOrg(org);
      await model.generate({ ...verificationRequest, signal });
    },
    async listOffered(org) {
      const [configured, prices] = await Promise.all([find(org), listPrices(org)]);
      if (!configured) return [];
      const [findKnown, names] = await Promise.all([loadKnownModels(configured.provider), listModels(configured)]);
      const isDefault = (model: string): boolean => model === configured.provider.model;
      const all = new Set([configured.provider.model, ...names, ...prices.map(({ model }) => model)]);
      return [...all]
        .toSorted()
        .map((model) => ({ ...toOfferedModel(model, findKnown(model), prices), isDefault: isDefault(model) }));
    },
    async verifyProvider(provider) {
      const model = await openModel(
        { provider, judged, settingNames: toSettingNames('the model-provider') },
        { name: provider.model, prices: [] },
      );
      const signal = AbortSignal.timeout(verificationTimeoutMs);
      await model.generate({ ...verificationRequest, signal }).catch((error: unknown) => {
        throw signal.aborted ? timeoutError() : toSettingError(error);
      });
    },
  };
}

const toSettingNames = (where: string) => ({
  apiKey: `the key of ${where}`,
  model: `the model of ${where}`,
  baseUrl: `the base URL of ${where}`,
});

function toOfferedModel(
  model: string,
  known: KnownModel | undefined,
  prices: readonly ModelPrice[],
): Omit<OfferedModel, 'isDefault'> {
  const own = prices.find((price) => price.model === model);
  const price = own ? { ...own, source: 'org' as const } : known && { ...known.price, source: 'built-in' as const };
  return {
    model,
    ...(known?.contextTokens !== undefined && { contextTokens: known.contextTokens }),
    ...(price && { price }),
  };
}

/** An error that names a setting is the caller's to fix; an overloaded provider is not. */
function toSettingError(error: unknown): unknown {
  if (!isServiceError(error) || error.errors.length === 0) return error;
  return new ServiceError('model-setting-invalid', error.message, { errors: error.errors });
}

function timeoutError(): ServiceError {
  const detail = `did not respond within ${verificationTimeoutMs / 1000} seconds`;
  return new ServiceError('model-setting-invalid', `The provider ${detail}. Check the base URL.`, {
    errors: [{ pointer: '/baseUrl', detail }],
  });
}
