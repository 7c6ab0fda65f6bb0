/** Reads the events of a stream one by one. */
export function readEvents(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<{ event?: string; id?: string; data?: Record<string, unknown> }> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end === -1) {
        const { done, value } = await reader.read();
        if (done) throw new Error('The stream has ended.');
        text += value;
        continue;
      }
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      text = text.slice(end + 2);
      return {
        ...fields,
        ...(fields['data'] !== undefined && { data: JSON.parse(fields['data']) as Record<string, unknown> }),
      };
    }
  };
  return { next, close: () => reader.cancel() };
}
