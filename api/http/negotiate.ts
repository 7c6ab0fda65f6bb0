import type { Context, MiddlewareHandler } from 'hono';
import Negotiator from 'negotiator';
import { ServiceError } from '../../src/errors.ts';

/** Rejects a request that accepts none of the media types that the operation returns. */
export function negotiate(types: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    if (acceptedType(c, types) === undefined)
      throw new ServiceError(
        'not-acceptable',
        `The operation returns ${types.join(' or ')}, and the header Accept allows neither. Send "Accept: ${types[0]}".`,
      );
    await next();
  };
}

/** Returns the media type that the caller prefers; the first one when it has no preference. */
export const acceptedType = (c: Context, types: readonly string[]): string | undefined =>
  createNegotiator(c, 'accept').mediaType([...types]);

/** Returns the coding that the caller prefers, of those that the server offers in its own order of preference. */
export const acceptedCoding = (c: Context, codings: readonly string[]): string | undefined =>
  (createNegotiator(c, 'accept-encoding') as Negotiator & Preferring).encoding(codings, { preferred: codings });

/** The published types lack this option. */
type Preferring = {
  encoding: (available: readonly string[], options: { preferred: readonly string[] }) => string | undefined;
};

const createNegotiator = (c: Context, header: string): Negotiator =>
  new Negotiator({ headers: { [header]: c.req.header(header) || undefined } });
