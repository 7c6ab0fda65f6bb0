import type { BuiltRequest } from './build-request.ts';

export type Answer = {
  status: number;
  statusText: string;
  durationMs: number;
  headers: [name: string, value: string][];
  body: string;
};

/** A longer text is not readable, and would make the page slow. */
const shownCharactersMax = 100_000;
/** A stream does not end by itself, so its beginning is shown. */
const waitMsMax = 10_000;

/** Sends a request with the session of the browser, and reads what a page can show of its response. */
export async function sendRequest({ method, path, headers, body }: BuiltRequest): Promise<Answer> {
  const startedAt = performance.now();
  const response = await fetch(path, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) });
  const text = await readBody(response);
  return {
    status: response.status,
    statusText: response.type === 'opaqueredirect' ? 'Redirect' : response.statusText,
    durationMs: Math.round(performance.now() - startedAt),
    headers: [...response.headers].toSorted(([one], [other]) => one.localeCompare(other)),
    body: text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}\n… and more` : text,
  };
}

async function readBody(response: Response): Promise<string> {
  const type = response.headers.get('Content-Type') ?? '';
  if (type.includes('json')) return format(await response.text());
  if (type.startsWith('text/event-stream')) return await readBeginning(response);
  if (/^(text\/|application\/(yaml|xml))/.test(type)) return await response.text();
  const { size } = await response.blob();
  return size === 0 ? '' : `${size} bytes of ${type === '' ? 'an unknown type' : type}`;
}

function format(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

async function readBeginning(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return '';
  const timer = setTimeout(() => void reader.cancel(), waitMsMax);
  let text = '';
  while (text.length < 2_000) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  clearTimeout(timer);
  await reader.cancel();
  return `${text}\n… the stream continues`;
}
