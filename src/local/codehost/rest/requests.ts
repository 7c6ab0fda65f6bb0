import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { mustReach } from '../callers.ts';
import type { Access, Caller } from '../callers.ts';
import { Failure, notFound, unprocessable } from '../failure.ts';
import type { Host } from '../host.ts';
import { findRepository } from '../repositories.ts';
import type { Account, Repository } from '../rows.ts';

export type RestEnv = { Variables: { caller: Caller } };
export type Rest = Hono<RestEnv>;
export type RestContext = Context<RestEnv>;

/** A part of the path; routes name them, so it is there. */
export function part(c: RestContext, name: string): string {
  const value = c.req.param(name);
  if (value === undefined) throw new Error(`no ${name} in the route of ${c.req.path}`);
  return value;
}

/** A number in the path; anything else names nothing. */
export function numberPart(c: RestContext, name: string): number {
  const text = part(c, name);
  if (!/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}

/** The repository in the path, if the caller may touch it so. */
export function reach(host: Host, c: RestContext, access: Access): Repository {
  const repository = findRepository(host, part(c, 'owner'), part(c, 'repo'));
  if (repository === undefined) throw notFound();
  mustReach(c.get('caller'), repository, access);
  return repository;
}

/** Whom the change is laid to. */
export function sender(c: RestContext): Account {
  const caller = c.get('caller');
  if (caller.kind === 'user' || caller.kind === 'installation') return caller.account;
  throw new Failure(401, 'Requires authentication');
}

/** The body as the schema has it; nothing sent counts as an empty object. */
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
    throw new Failure(400, 'Problems parsing JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Failure(400, 'Body should be a JSON object');
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

/** The page that was asked for, with a Link header to the others. */
export function paginate<Item>(host: Host, c: RestContext, items: Item[]): Item[] {
  const perPage = Math.min(Math.max(Number.parseInt(c.req.query('per_page') ?? '', 10) || 30, 1), 100);
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

/** Whether the caller wants the thing itself (`raw`, `diff`) instead of JSON. */
export const wants = (c: RestContext, format: string): boolean =>
  new RegExp(`^application/vnd\\.github\\.(?:v3\\.)?${format}(?:\\+json)?\\s*(?:;|,|$)`).test(
    c.req.header('accept') ?? '',
  );
