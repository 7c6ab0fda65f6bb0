import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { assertAccess } from '../auth.ts';
import type { Access, Caller } from '../auth.ts';
import { HttpError, notFound, unprocessable } from '../http-error.ts';
import type { Host } from '../host.ts';
import { findRepository } from '../repositories.ts';
import type { Account, Repository } from '../tables.ts';

export type RestEnv = { Variables: { caller: Caller } };
export type RestApi = Hono<RestEnv>;
export type RestContext = Context<RestEnv>;

/** A missing parameter is a programming error, because the route declares it. */
export function getPathParam(c: RestContext, name: string): string {
  const value = c.req.param(name);
  if (value === undefined) throw new Error(`no ${name} in the route of ${c.req.path}`);
  return value;
}

/** A value that is not a number results in 404. */
export function getNumberParam(c: RestContext, name: string): number {
  const text = getPathParam(c, name);
  if (!/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}

/** Returns the repository of the path, and throws when the caller lacks access. */
export function getAccessibleRepository(host: Host, c: RestContext, access: Access): Repository {
  const repository = findRepository(host, getPathParam(c, 'owner'), getPathParam(c, 'repo'));
  if (repository === undefined) throw notFound();
  assertAccess(c.get('caller'), repository, access);
  return repository;
}

/** Returns the account to which GitHub would attribute the change. */
export function getSender(c: RestContext): Account {
  const caller = c.get('caller');
  if (caller.kind === 'user' || caller.kind === 'installation') return caller.account;
  throw new HttpError(401, 'Requires authentication');
}

/** Parses the body. An empty body counts as an empty object. */
export async function readBody<Schema extends z.ZodType>(
  c: RestContext,
  schema: Schema,
  resource: string,
): Promise<z.output<Schema>> {
  const text = await c.req.text();
  let body: unknown;
  try {
    body = text === '' ? {} : JSON.parse(text);
  } catch {
    throw new HttpError(400, 'Problems parsing JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new HttpError(400, 'Body should be a JSON object');
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw unprocessable(
    ...read.error.issues.map(({ path, message }) => {
      const [field = ''] = path;
      const missing = !(String(field) in body);
      return { resource, field: String(field), code: missing ? 'missing_field' : 'invalid', message };
    }),
  );
}

/** Returns the requested page and sets the Link header. */
export function paginate<Item>(host: Host, c: RestContext, items: Item[], defaultPerPage = 30): Item[] {
  const requested = Number.parseInt(c.req.query('per_page') ?? '', 10);
  const perPage = requested > 0 ? Math.min(requested, 100) : defaultPerPage;
  const page = Math.max(Number.parseInt(c.req.query('page') ?? '', 10) || 1, 1);
  const last = Math.max(Math.ceil(items.length / perPage), 1);
  const url = (to: number): string => {
    const at = new URL(c.req.url);
    at.searchParams.set('page', String(to));
    return `${host.url}${at.pathname}${at.search}`;
  };
  const links = [
    ...(page > 1 ? [`<${url(Math.min(page - 1, last))}>; rel="prev"`] : []),
    ...(page < last ? [`<${url(page + 1)}>; rel="next"`, `<${url(last)}>; rel="last"`] : []),
    ...(page > 1 ? [`<${url(1)}>; rel="first"`] : []),
  ];
  if (links.length > 0) c.header('Link', links.join(', '));
  return items.slice((page - 1) * perPage, page * perPage);
}

/** Media types such as `raw` and `diff` request the content itself instead of JSON. */
export const acceptsFormat = (c: RestContext, format: string): boolean =>
  new RegExp(`^application/vnd\\.github\\.(?:v3\\.)?${format}(?:\\+json)?\\s*(?:;|,|$)`).test(
    c.req.header('accept') ?? '',
  );
