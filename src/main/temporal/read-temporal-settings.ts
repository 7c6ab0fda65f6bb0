import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

const TemporalSettings = z.strictObject({
  namespace: z.string(),
  retentionDays: z.int().positive(),
  searchAttributes: z.record(
    z.string(),
    z.enum(['Text', 'Keyword', 'Int', 'Double', 'Bool', 'Datetime', 'KeywordList']),
  ),
  sqlitePragmas: z.record(z.string(), z.string()),
  dynamicConfig: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type TemporalSettings = z.infer<typeof TemporalSettings>;

/** Reads `temporal-dev.yml` in the root of the repository. */
export async function readTemporalSettings(): Promise<TemporalSettings> {
  const file = new URL('../../../temporal-dev.yml', import.meta.url);
  return TemporalSettings.parse(parse(await readFile(file, 'utf8')));
}
