import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';
import type { Schemas } from '../generated/openapi.ts';
import { restoreInvisible } from '../reveal-invisible.ts';

export type Issue = Schemas['Issue'];
export type Column = NonNullable<Issue['column']>;
export type BoardData = Schemas['Board'];

const path = '/v1/orgs/{org}/products/{product}/issues';
/** A board of more issues than that is not read by a person. */
const issuesMax = 500;

export const boardQuery = (org: string, product: string) =>
  queryOptions({
    queryKey: ['board', org, product],
    queryFn: async ({ signal }) =>
      await request('get', path, { params: { org, product }, query: { limit: issuesMax }, signal }),
  });

/** Explains what an issue started, and why it started nothing. */
export const explanationQuery = (org: string, about: string) =>
  queryOptions({
    queryKey: ['explanation', org, about],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/explain', { params: { org }, query: { about }, signal }),
  });

export type NewIssue = { title: string; body: string; labels: string[]; repo: string };

export const createIssue = async (org: string, product: string, body: NewIssue): Promise<Issue> =>
  await request('post', path, { params: { org, product }, body });

type Labels = { add?: string[]; remove?: string[] };
export const labelIssue = async (
  org: string,
  product: string,
  { repo, number }: Pick<Issue, 'repo' | 'number'>,
  { add, remove }: Labels,
): Promise<Issue> =>
  await request('post', `${path}/{number}/labels`, {
    params: { org, product, number: String(number) },
    body: { ...(add && { add }), ...(remove && { remove: remove.map(restoreInvisible) }), repo },
  });
