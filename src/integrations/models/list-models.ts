import { APICallError } from 'ai';
import { ServiceError } from '../../errors.ts';
import { createFetch, loadAdapter, toErrorContext, type ConfiguredProvider } from './open-model.ts';
import { toProviderError } from './provider-error.ts';

/** A person waits for the page. */
const listTimeoutMs = 15_000;
const bodyBytesMax = 4 * 1024 * 1024;

/** Lists the models that the provider offers to this key. */
export async function listModels(configured: ConfiguredProvider): Promise<string[]> {
  const adapter = await loadAdapter(configured.provider);
  const { request, parse } = await adapter.buildListRequest(configured.provider);
  try {
    const fetch = createFetch(configured, { timeoutMs: listTimeoutMs, bytesMax: bodyBytesMax });
    const { url, headers } = request;
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(listTimeoutMs) });
    if (!response.ok) throw toApiError(url, response);
    return parse(await response.json());
  } catch (error) {
    const providerError = toProviderError(error, toErrorContext(configured, adapter, configured.provider.model));
    // Agents do not need the list, so a failure is not an error of the caller's settings.
    throw new ServiceError(
      'model-provider-unavailable',
      `The provider did not list its models. ${providerError.message}`,
    );
  }
}

/** The body is left out, because a wrong base URL may return confidential text of another system. */
function toApiError(url: string, { status }: Response): APICallError {
  return new APICallError({ message: 'request failed', url, requestBodyValues: {}, statusCode: status });
}
