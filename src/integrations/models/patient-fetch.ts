import { fetch as ask, getGlobalDispatcher, type Dispatcher } from 'undici';

type Fetch = typeof globalThis.fetch;
type Patience = { timeoutMs: number; bytesMax: number };

/**
 * Waits as long as a model may think: the built-in fetch gives up after five minutes without a word, and every such
 * answer is paid for. An answer without end is given up too.
 */
export function patientFetch({ timeoutMs, bytesMax }: Patience): Fetch {
  const waiting =
    (dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] =>
    (options, handler) =>
      dispatch({ ...options, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }, handler);
  const patient = async (url: Parameters<typeof ask>[0], init?: Parameters<typeof ask>[1]): Promise<Response> => {
    // Whatever the process uses, a proxy of its environment too.
    const dispatcher = getGlobalDispatcher().compose(waiting);
    const { body, status, headers } = await ask(url, { ...init, dispatcher });
    return new Response(body && (body as ReadableStream<Uint8Array>).pipeThrough(limited(bytesMax)), {
      status,
      headers: [...headers],
    });
  };
  return patient as Fetch;
}

function limited(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) controller.error(new Error(`The answer has more than ${bytesMax} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}
