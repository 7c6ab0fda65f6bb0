import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { listDoraEvents, type DoraEvents } from '../../src/rules/dora/compute-dora.ts';
import {
  toChangeRecord,
  toIncidentRecord,
  toPromotionRecord,
  toReleaseRecord,
  type DoraRecords,
} from '../../src/rules/dora/records.ts';
import { IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { PromotionKind } from '../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import type { StoredObject } from '../../src/rules/resource.ts';
import type { ApiDeps } from '../deps.ts';
import { FollowedOrgs, followKind, type FollowScope, type FollowedKind } from '../http/followed-orgs.ts';

export type DoraIndex = FollowedOrgs<OrgRecords>;

/** Creates an index of what the metrics of each org are computed from. */
export const createDoraIndex = (deps: Pick<ApiDeps, 'store' | 'shutdownSignal'>): DoraIndex =>
  new FollowedOrgs(deps, async (scope) => {
    const org = new OrgRecords();
    await org.open(scope);
    return org;
  });

type Records = { [K in keyof DoraRecords]: Map<string, DoraRecords[K][number]> };

class OrgRecords {
  readonly #records: Records = {
    promotions: new Map(),
    releases: new Map(),
    changes: new Map(),
    incidents: new Map(),
  };
  #byProduct: Map<string, DoraRecords> | undefined;
  readonly #events = new Map<string, { zones: string; events: DoraEvents }>();

  async open(scope: FollowScope): Promise<void> {
    const { promotions, releases, changes, incidents } = this.#records;
    const onChange = (record?: { product: string }): void => this.#forget(record?.product);
    const follow = async <T extends StoredObject, R extends { product: string }>(
      source: FollowedKind<T, R>,
    ): Promise<void> => await followKind({ ...source, onChange }, scope);
    await Promise.all([
      follow({ kind: PromotionKind, into: promotions, toRecord: toPromotionRecord }),
      follow({ kind: ReleaseKind, into: releases, toRecord: toReleaseRecord }),
      follow({ kind: AgentWorkflowRunKind, into: changes, toRecord: toChangeRecord }),
      follow({ kind: IncidentKind, into: incidents, toRecord: toIncidentRecord }),
    ]);
  }

  get size(): number {
    return Object.values(this.#records).reduce((sum, { size }) => sum + size, 0);
  }

  /** Returns what the metrics of a Product count; it is derived again only after a change of the Product's records. */
  listEvents(product: string, releaseZones: readonly string[]): DoraEvents {
    const zones = releaseZones.join(' ');
    const known = this.#events.get(product);
    if (known?.zones === zones) return known.events;
    const events = listDoraEvents(this.#listByProduct().get(product) ?? emptyRecords, releaseZones);
    this.#events.set(product, { zones, events });
    return events;
  }

  #forget(product: string | undefined): void {
    this.#byProduct = undefined;
    if (product === undefined) this.#events.clear();
    else this.#events.delete(product);
  }

  #listByProduct(): Map<string, DoraRecords> {
    this.#byProduct ??= groupByProduct(this.#records);
    return this.#byProduct;
  }
}

const emptyRecords: DoraRecords = { promotions: [], releases: [], changes: [], incidents: [] };

function groupByProduct({ promotions, releases, changes, incidents }: Records): Map<string, DoraRecords> {
  const group = <R extends { product: string }>(records: Map<string, R>): Map<string, R[]> =>
    Map.groupBy(records.values(), ({ product }) => product);
  const groups = [group(promotions), group(releases), group(changes), group(incidents)] as const;
  const products = new Set(groups.flatMap((products) => [...products.keys()]));
  const toRecords = (product: string): DoraRecords => ({
    promotions: groups[0].get(product) ?? [],
    releases: groups[1].get(product) ?? [],
    changes: groups[2].get(product) ?? [],
    incidents: groups[3].get(product) ?? [],
  });
  return new Map([...products].map((product) => [product, toRecords(product)]));
}
