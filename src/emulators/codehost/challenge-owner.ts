import type { Context } from 'hono';
import { authenticate } from './auth.ts';
import type { Host } from './host.ts';

/** Returns the response that makes a browser ask for name and password, unless the owner sent the request. */
export function challengeOwner(host: Host, c: Context): Response | undefined {
  if (isOwner(host, c.req.header('authorization'))) return undefined;
  // A browser asks for name and password: "owner" and the token.
  c.header('WWW-Authenticate', 'Basic realm="code host"');
  return c.text(`Error: sign in as "${host.owner.login}" with the token in ${host.dataDir}/token.`, 401);
}

/** An app gets write access to all repositories of its account, so only the owner may register one. */
function isOwner(host: Host, authorization: string | undefined): boolean {
  try {
    return authenticate(host, authorization).kind === 'user';
  } catch {
    return false;
  }
}
