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
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (isValid(key) && (typeof value !== 'string' || isValid(value))) return value;
      const detail = 'contains NUL or an unpaired surrogate';
      throw invalid(`The text of "${key.toWellFormed().slice(0, 100)}" ${detail}. Remove it.`);
    });
  } catch (error) {
    // The validation of the request explains a syntax error.
    if (!(error instanceof SyntaxError)) throw error;
  }
}

const isValid = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
