import type { Schemas } from '../../../api/generated/openapi.ts';

type Counts = NonNullable<Schemas['Backup']['status']['progress']>;

/** Formats what an archive contains: "1,204 resources, 1 file". */
export const formatCounts = ({ resources, blobs }: Counts): string =>
  `${format(resources, 'resource')}, ${format(blobs, 'file')}`;

const format = (count: number, word: string): string =>
  `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
