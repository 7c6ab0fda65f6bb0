import type { ApiDeps, App } from '../deps.ts';
import { createUser } from './create-user.ts';
import { getAccessGroups } from './get-access-groups.ts';
import { getMe } from './get-me.ts';
import { getTeams } from './get-teams.ts';
import { listMyTokens } from './list-my-tokens.ts';
import { listUsers } from './list-users.ts';
import { mintToken } from './mint-token.ts';
import { putAccessGroups } from './put-access-groups.ts';
import { putTeams } from './put-teams.ts';
import { revokeToken } from './revoke-token.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';

export function access(app: App, deps: ApiDeps): void {
  signIn(app, deps);
  signOut(app, deps);
  getMe(app, deps);
  listMyTokens(app);
  mintToken(app, deps);
  revokeToken(app, deps);
  listUsers(app);
  createUser(app, deps);
  getAccessGroups(app, deps);
  putAccessGroups(app, deps);
  getTeams(app, deps);
  putTeams(app, deps);
}
