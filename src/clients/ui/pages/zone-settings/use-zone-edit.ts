import { useState } from 'react';
import type { Product } from '../../api/types.ts';
import {
  applyDraft,
  listChanged,
  mergeDrafts,
  toDraft,
  type Setting,
  type ZoneDraft,
  type ZoneSpec,
} from './zone-draft.ts';

/**
 * A person's edit of the settings of a zone. Updates from the server never overwrite it: `theirs` lists what another
 * person has changed since the edit began.
 */
export function useZoneEdit(product: Product, spec: ZoneSpec) {
  const saved = toDraft(spec);
  const [edit, setEdit] = useState<{ base: ZoneDraft; draft: ZoneDraft }>();
  const isDirty = edit !== undefined && listChanged(edit.base, edit.draft).length > 0;
  const base = isDirty ? edit.base : saved;
  const draft = isDirty ? edit.draft : saved;
  const theirs: Setting[] = listChanged(base, saved);
  return {
    saved,
    base,
    draft,
    theirs,
    mine: listChanged(base, draft),
    isDirty,
    change: (changes: Partial<ZoneDraft>): void => setEdit({ base, draft: { ...draft, ...changes } }),
    discard: (): void => setEdit(undefined),
    /** Ends the edit that was sent; what the person has typed since stays, as an edit of what was saved. */
    settle: (sent: ZoneDraft, savedSpec: ZoneSpec): void => {
      const next = toDraft(savedSpec);
      setEdit((latest) =>
        latest === undefined || listChanged(sent, latest.draft).length === 0
          ? undefined
          : { base: next, draft: mergeDrafts(sent, next, latest.draft) },
      );
    },
    /** Rebases the edit onto what the other person has saved. */
    keepMine: (): void => setEdit({ base: saved, draft: mergeDrafts(base, saved, draft) }),
    /** The body that replaces the Product: only this zone differs. */
    body: {
      spec: {
        ...product.spec,
        delivery: {
          ...product.spec.delivery,
          zones: product.spec.delivery.zones.map((zone) => (zone.name === spec.name ? applyDraft(spec, draft) : zone)),
        },
      },
      generation: product.generation,
    },
  };
}
export type ZoneEdit = ReturnType<typeof useZoneEdit>;
