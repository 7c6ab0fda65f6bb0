import { APICallError } from 'ai';
import { ServiceError } from '../../errors.ts';
import { withoutRedirects } from './adapter.ts';
import { loadAdapter, toErrorContext, type ConfiguredProvider } from './open-model.ts';
import { toProviderError } from './provider-error.ts';

/** A person waits for the page. */
const listTimeoutMs = 15_000;
const bodyBytesMax = 4 * 1024 * 1024;

/** Lists the models that the provider offers to this key. */
export async function listModels(configured: ConfiguredProvider): Promise<string[]> {
  const adapter = await loadAdapter(configured.provider);
  const { request, parse } = await adapter.buildListRequest(configured.provider);
  try {
    const response = await withoutRedirects(fetch)(request, { signal: AbortSignal.timeout(listTimeoutMs) });
    const body = await readText(response);
    if (!response.ok) throw toApiError(request.url, response);
    return parse(JSON.parse(body));
  } catch (error) {
    const providerError = toProviderError(error, toErrorContext(configured, adapter, configured.provider.model));
    // Agents do not need the list, so a failure is no error of the caller's settings.
    throw new ServiceError(
      'model-provider-unavailable',
      `The provider did not list its models. ${providerError.message}`,
    );
  }
}

/** The body is left out, because a wrong base URL may return confidential text of another system. */
function toApiError(url: string, { status, statusText }: Response): APICallError {
  return new APICallError({ message: statusText || 'request failed', url, requestBodyValues: {}, statusCode: status });
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > bodyBytesMax) throw new Error('The list of models is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
