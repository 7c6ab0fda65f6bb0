import { fetch as undiciFetch, getGlobalDispatcher, type Dispatcher } from 'undici';

type Fetch = typeof globalThis.fetch;
type FetchOptions = {
  timeoutMs: number;
  bytesMax: number;
  /** Defaults to the global dispatcher, which may be configured with a proxy. */
  dispatcher?: Dispatcher | undefined;
};

/**
 * Waits for the whole timeout: the built-in fetch aborts after five minutes without data, although the provider still
 * charges for the response. It also aborts responses that exceed the size limit.
 */
export function fetchWithTimeout({ timeoutMs, bytesMax, dispatcher }: FetchOptions): Fetch {
  const addTimeouts =
    (dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] =>
    (options, handler) =>
      dispatch({ ...options, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }, handler);
  const fetchLimited = async (
    url: Parameters<typeof undiciFetch>[0],
    init?: Parameters<typeof undiciFetch>[1],
  ): Promise<Response> => {
    const timed = (dispatcher ?? getGlobalDispatcher()).compose(addTimeouts);
    const { body, status, headers } = await undiciFetch(url, { ...init, dispatcher: timed });
    return new Response(body && (body as ReadableStream<Uint8Array>).pipeThrough(limitBytes(bytesMax)), {
      status,
      headers: [...headers],
    });
  };
  return fetchLimited as Fetch;
}

function limitBytes(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) controller.error(new Error(`The response exceeds ${bytesMax} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}
