import type { ChangeSummary } from '../../api/types.ts';
import { ChangesTable } from '../../parts/changes-table.tsx';

const rowsMax = 8;
const order = ['WaitingForPerson', 'NeedsGuidance', 'Running', 'Pending'];

function toRank({ status }: ChangeSummary): number {
  const rank = order.indexOf(status?.phase ?? 'Pending');
  return rank < 0 ? order.length : rank;
}

/** The Changes of a Product: first those that wait for a person, then those in progress, then the newest others. */
export function LatestChanges({ changes }: { changes: ChangeSummary[] }) {
  if (changes.length === 0) return <p className="dim">No Change yet. A label on an issue starts one.</p>;
  const sorted = changes.toSorted((one, other) => toRank(one) - toRank(other));
  return <ChangesTable changes={sorted.slice(0, rowsMax)} />;
}
