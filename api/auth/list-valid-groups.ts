import { AccessGroupKind, type AccessGroup } from '../../src/rules/access/kinds.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import type { Store } from '../../src/store/store.ts';

/** Lists the access groups that give roles, of one namespace or of all. A rejected group gives none. */
export const listValidGroups = async (reads: Store, namespace?: string): Promise<AccessGroup[]> =>
  (await reads.list(AccessGroupKind, namespace === undefined ? {} : { namespace })).items.filter(
    (group) => !isRejected(group),
  );
