import { randomUUID } from 'node:crypto';
import type { OrgWork } from '../../../activities/backups/open-work-activities.ts';
import type { Activities } from '../../../activities/index.ts';
import { restoreBackupStart, type RestoreBackupInput } from '../../../workflows/backups/messages.ts';

export const noWork: OrgWork = {
  isDeleting: false,
  hasCodehost: false,
  hasSlos: false,
  zones: [],
  releases: [],
  runs: [],
  scaffolds: [],
  deletedProducts: [],
  schedules: [],
};

type Patch = Parameters<Activities['recordRestore']>[0]['patch'];

export function createActivities(overrides: Partial<Activities> = {}) {
  const patches: Patch[] = [];
  const state = {
    isConfirmed: true,
    deletedKeys: 0,
    patches,
    phases: () => patches.flatMap(({ phase }) => phase ?? []),
  };
  const activities: Partial<Activities> = {
    checkArchive: async () => ({ conflicts: 0 }),
    beginRestore: async () => state.isConfirmed,
    restoreArchive: async () => {},
    recordRestore: async ({ patch }) => void patches.push(patch),
    deleteRecoveryKey: async () => void (state.deletedKeys += 1),
    listRestoredOrgs: async () => ['acme'],
    listClaimedDomains: async () => [],
    listOpenWork: async () => noWork,
    ...overrides,
  };
  return { state, activities };
}

/** One server runs the restores of all tests, and only one may have the id. */
export const uniqueStart = (input: Partial<RestoreBackupInput> = {}) => {
  const start = restoreBackupStart({ restore: 'restore-1', ...input });
  return { ...start, options: { ...start.options, workflowId: `restore-backup/${randomUUID()}` } };
};
