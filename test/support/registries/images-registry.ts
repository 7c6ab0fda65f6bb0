import type { Registry } from '../../../src/rules/registries/registry.ts';

/** A registry of an org to which builds may push. */
export const imagesRegistry: Registry = {
  name: 'images',
  host: 'registry.test',
  repositoryPrefix: 'acme',
  username: 'ada',
  password: 'correct-horse',
  lastCheck: { access: 'pull-and-push', at: '2026-11-25T08:00:00.000Z' },
};
