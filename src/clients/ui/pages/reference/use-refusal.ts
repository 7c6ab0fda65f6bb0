import { useQuery } from '@tanstack/react-query';
import { ApiProblem, request } from '../../api/request.ts';
import type { Me } from '../../api/types.ts';

const roles = ['viewer', 'member', 'org-admin'];

/** Reads the person, or null without a session: the reference is also read by people who are not signed in. */
async function readPerson(signal: AbortSignal): Promise<Me | null> {
  try {
    return await request('get', '/v1/me', { params: {}, signal });
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) return null;
    throw error;
  }
}

/** Returns why the API would refuse an operation to the person: the role that it requires, and who can give it. */
export function useRefusal(required: string | undefined, org: string): string | undefined {
  const { data: me } = useQuery({
    queryKey: ['me', 'reader'],
    queryFn: async ({ signal }) => await readPerson(signal),
    staleTime: 60_000,
  });
  if (me === undefined || required === undefined || ['anyone', 'setup-token'].includes(required)) return undefined;
  if (me === null) return 'Sign in first: the request is sent with your session.';
  if (required === 'platform-admin') return me.platformAdmin ? undefined : 'Only a platform admin may do this.';
  if (!roles.includes(required) || org === '') return undefined;
  const role = me.orgs.find((one) => one.org === org)?.role;
  if (role !== undefined && roles.indexOf(role) >= roles.indexOf(required)) return undefined;
  const held = role === undefined ? 'you have no role there' : `your role there is "${role}"`;
  return `This requires the role "${required}" or higher in ${org}; ${held}.`;
}
