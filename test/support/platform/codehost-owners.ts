import type { CodehostAccess } from './codehost-reader.ts';

const owners = new Map<string, CodehostAccess>();

/** Makes the owner's token of a code host known to the steps of journeys, which see only the API. */
export function registerCodehost(codehost: CodehostAccess): void {
  owners.set(new URL(codehost.codehostUrl).origin, codehost);
}

/** Returns the Authorization header of the owner of a code host. */
export async function getOwnerAuthorization(url: string): Promise<string> {
  const token = await owners.get(new URL(url).origin)?.codehostToken();
  if (token === undefined) throw new Error(`${url} belongs to no code host of this test.`);
  return `Bearer ${token}`;
}
