import { APICallError } from 'ai';
import { ServiceError } from '../../errors.ts';
import { withoutRedirects } from './adapter.ts';
import { adapterOf, askedOf, type Used } from './open-model.ts';
import { providerRefusal } from './provider-error.ts';

/** A person looks at a page meanwhile. */
const listTimeoutMs = 15_000;
const bodyBytesMax = 4 * 1024 * 1024;

/** The names of the models that a provider offers to this key. */
export async function listModels(used: Used): Promise<string[]> {
  const adapter = await adapterOf(used.provider);
  const { request, read } = await adapter.listing(used.provider);
  try {
    const response = await withoutRedirects(fetch)(request, { signal: AbortSignal.timeout(listTimeoutMs) });
    const body = await textOf(response);
    if (!response.ok) throw refusalOf(request.url, response);
    return read(JSON.parse(body));
  } catch (error) {
    const refusal = providerRefusal(error, askedOf(used, adapter, used.provider.model));
    // The list is not needed to work: what is wrong with it is the provider's matter, not the caller's.
    throw new ServiceError('unavailable', `The provider does not list its models. ${refusal.message}`);
  }
}

/** What a provider says beside the status stays out: at an address that is no provider's it is somebody else's text. */
function refusalOf(url: string, { status, statusText }: Response): APICallError {
  return new APICallError({ message: statusText || 'refused', url, requestBodyValues: {}, statusCode: status });
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > bodyBytesMax) throw new Error('The list is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
