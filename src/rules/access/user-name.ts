import { createHash } from 'node:crypto';

/** Derives the name from the address, so that concurrent requests cannot create two users for it. */
export const userName = (email: string): string =>
  `user-${createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 20)}`;
