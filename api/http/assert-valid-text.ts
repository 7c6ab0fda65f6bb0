import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { invalid } from '../../src/errors.ts';
import type { ApiEnv } from '../deps.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Escapes of NUL and of surrogates. */
const suspiciousEscape = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** Rejects a JSON body whose text would be changed when it is stored or sent on: not UTF-8, or with invalid characters. */
export const assertValidText: MiddlewareHandler<ApiEnv> = async (c, next) => {
  // Media types are the same in upper and lower case.
  if (/json/i.test(c.req.header('content-type') ?? '')) {
    assertUtf8Charset(c);
    assertUncompressed(c);
    const text = decode(await c.req.arrayBuffer());
    if (suspiciousEscape.test(text)) assertValidStrings(text);
  }
  await next();
};

function assertUtf8Charset({ req }: Context): void {
  const charset = /;\s*charset="?([^;"\s]*)/i.exec(req.header('content-type') ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) throw new HTTPException(415, { cause: 'application/json in UTF-8' });
}

/** No body is ever decompressed, so that the limit of its bytes is that of the memory that it takes. */
function assertUncompressed({ req }: Context): void {
  const coding = req.header('content-encoding') ?? 'identity';
  if (coding !== 'identity') throw new HTTPException(415, { cause: 'application/json without Content-Encoding' });
}

function decode(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid('The body is not valid UTF-8. Encode its text as UTF-8.');
  }
}

function assertValidStrings(text: string): void {
  // The stack of calls would not hold a value that is nested as deeply as a body can be.
  const unchecked: unknown[] = [parse(text)];
  while (unchecked.length > 0) {
    const value = unchecked.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, item] of Object.entries(value)) {
      if (!isValid(key) || (typeof item === 'string' && !isValid(item)))
        throw invalid(
          `The text of "${key.toWellFormed().slice(0, 100)}" contains NUL or an unpaired surrogate. Remove it.`,
        );
      unchecked.push(item);
    }
  }
}

/** The validation of the request explains a syntax error. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isValid = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
