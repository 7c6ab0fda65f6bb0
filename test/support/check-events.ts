import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Returns how an event differs from the document, or undefined. */
export type EventViolation = (event: EventSourceMessage) => string | undefined;

/**
 * Makes a read of a stream fail if it would return an event with a violation; another response is returned as it is.
 * Each read of the caller reads the original body once, so nothing is buffered for a slow caller.
 */
export function checkEvents(response: Response, violation: EventViolation): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!isStream || response.body === null) return response;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const found: string[] = [];
  const judge = (event: EventSourceMessage): string | undefined => {
    try {
      return violation(event);
    } catch (error) {
      return String(error);
    }
  };
  const parser = createParser({
    onEvent: (event) => {
      const message = judge(event);
      if (message !== undefined) found.push(`${message}. Event: ${JSON.stringify(event)}`);
    },
    onError: ({ message }) => void found.push(message),
  });
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        parser.feed(decoder.decode(value, { stream: true }));
        if (found.length === 0) return controller.enqueue(value);
        await reader.cancel();
        throw new Error(found.join('\n'));
      },
      cancel: async (reason) => await reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
