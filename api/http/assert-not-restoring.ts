import type { RouteConfig } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { findActiveRestore } from '../../src/store/find-active-restore.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';

/** People must be able to sign in and to follow the restore. */
const unlockedPaths = ['/v1/backup/', '/v1/auth/', '/v1/setup/'];

/** Returns whether the operation changes what a restore may be writing. */
export const isLockedByRestore = ({ method, path, security = [], tags = [] }: RouteConfig): boolean =>
  method !== 'get' &&
  (security.length > 0 || tags.includes('Webhooks')) &&
  !unlockedPaths.some((unlocked) => path.startsWith(unlocked));

/** Throws while a backup is being restored, because a change could refer to what is not there yet. */
export const assertNotRestoring =
  ({ store }: Pick<ApiDeps, 'store'>): MiddlewareHandler<ApiEnv> =>
  async (_, next) => {
    const restore = await findActiveRestore(cachedReads(store));
    if (restore)
      throw new ServiceError(
        'restore-in-progress',
        `The restore "${restore.metadata.name}" is in progress, so nothing can be changed. Repeat the request when it has finished.`,
      );
    await next();
  };
