import { createHash } from 'node:crypto';

type IdentityKey = { issuer: string; subject: string };

/** Returns the label that a User has for an identity, by which the User is found. */
export const identityLabel = ({ issuer, subject }: IdentityKey): Record<string, string> => {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
  return { [`identity.service.delivery/${digest.slice(0, 40)}`]: 'true' };
};
