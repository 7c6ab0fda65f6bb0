import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

const path = '/v1/access/orgs/{org}/people';

/** Begins the key of every answer about the people of an org. */
export const orgPeopleKey = (org: string) => ['org-people', org] as const;

/** Reads how many people have which role in an org, and the first of them. */
export const orgPeopleQuery = (org: string) =>
  queryOptions({
    queryKey: [...orgPeopleKey(org), 'all'],
    queryFn: async ({ signal }) => await request('get', path, { params: { org }, query: { limit: 200 }, signal }),
  });

/** Reads which role a person has in an org, and why; a person without a role is not in the items. */
export const orgPersonQuery = (org: string, person: string) =>
  queryOptions({
    queryKey: [...orgPeopleKey(org), 'one', person],
    queryFn: async ({ signal }) => await request('get', path, { params: { org }, query: { person }, signal }),
  });

/** Reads who is in each access group of an org now, and which of its addresses belong to no user yet. */
export const accessGroupsStatusQuery = (org: string) =>
  queryOptions({
    queryKey: [...orgPeopleKey(org), 'groups'],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/access-groups/status', { params: { org }, signal }),
  });

/** Reads in which orgs a person has a role, and why. */
export const personRolesQuery = (email: string) =>
  queryOptions({
    queryKey: ['person-roles', email],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/access/people/{email}/roles', { params: { email }, query: { limit: 200 }, signal }),
  });
