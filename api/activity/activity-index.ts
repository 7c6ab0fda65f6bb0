import type { PromotionPart, ReleaseLane, RunLane } from '../../src/rules/activity/lanes.ts';
import type { ActivityRecords } from '../../src/rules/activity/list-lanes.ts';
import { toPromotionPart, toReleaseLane } from '../../src/rules/activity/to-release-lane.ts';
import { toRunLane } from '../../src/rules/activity/to-run-lane.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { PromotionKind } from '../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import type { StoredObject } from '../../src/rules/resource.ts';
import type { ApiDeps } from '../deps.ts';
import { FollowedOrgs, followKind, type FollowScope } from '../http/followed-orgs.ts';
import { hoursMax } from './schemas.ts';

const keptMs = hoursMax * 60 * 60_000;
type Timed = { to?: number };

export type ActivityIndex = FollowedOrgs<OrgActivity>;

/** Creates an index of what was active in the longest window; older lanes are forgotten. */
export const createActivityIndex = (deps: Pick<ApiDeps, 'store' | 'shutdownSignal' | 'now'>): ActivityIndex =>
  new FollowedOrgs(deps, async (scope) => {
    const org = new OrgActivity(deps.now);
    await org.open(scope);
    return org;
  });

class OrgActivity {
  readonly #now: () => Date;
  readonly #runs = new Map<string, RunLane>();
  readonly #releases = new Map<string, ReleaseLane>();
  readonly #promotions = new Map<string, PromotionPart>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  async open(scope: FollowScope): Promise<void> {
    const recent =
      <T extends StoredObject, R extends Timed>(toRecord: (object: T) => R | undefined) =>
      (object: T): R | undefined => {
        const record = toRecord(object);
        return record && this.#isKept(record) ? record : undefined;
      };
    await Promise.all([
      followKind({ kind: AgentWorkflowRunKind, into: this.#runs, toRecord: recent(toRunLane) }, scope),
      followKind({ kind: ReleaseKind, into: this.#releases, toRecord: recent(toReleaseLane) }, scope),
      followKind({ kind: PromotionKind, into: this.#promotions, toRecord: recent(toPromotionPart) }, scope),
    ]);
  }

  get size(): number {
    return this.#runs.size + this.#releases.size + this.#promotions.size;
  }

  list(): ActivityRecords {
    for (const records of [this.#runs, this.#releases, this.#promotions])
      for (const [name, record] of records) if (!this.#isKept(record)) records.delete(name);
    return {
      runs: [...this.#runs.values()],
      releases: [...this.#releases.values()],
      promotions: [...this.#promotions.values()],
    };
  }

  #isKept({ to }: Timed): boolean {
    return to === undefined || to > this.#now().getTime() - keptMs;
  }
}
