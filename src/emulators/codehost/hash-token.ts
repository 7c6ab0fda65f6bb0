import { createHash } from 'node:crypto';

/** The form in which tokens, codes and passwords are stored. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
