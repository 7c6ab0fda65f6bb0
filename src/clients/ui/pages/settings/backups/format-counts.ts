import type { Schemas } from '../../../api/generated/openapi.ts';
import { formatAmount } from '../../../parts/format-amount.ts';

type Counts = NonNullable<Schemas['Backup']['status']['progress']>;

/** Formats what an archive contains: "1,204 resources, 1 file". */
export const formatCounts = ({ resources, blobs }: Counts): string =>
  `${formatAmount(resources, 'resource')}, ${formatAmount(blobs, 'file')}`;
