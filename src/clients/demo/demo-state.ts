import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';

/** A Change that the demo started. `issueKey` and `runKey` make a repeated request create nothing twice. */
export type StartedChange = { issueKey: string; issue?: number; runKey: string; run?: string };

export type DemoValues = {
  token?: string;
  password?: string;
  /** The Product of each repository, by the repository's path or URL. */
  products: Record<string, string>;
  changes: Record<string, StartedChange>;
};

/** The progress of all demos on one data directory, from which the next one resumes. */
export type DemoState = {
  readonly file: string;
  readonly values: Readonly<DemoValues>;
  save(changed: Partial<DemoValues>): Promise<void>;
};

export async function openDemoState(file: string): Promise<DemoState> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // Any other failure would lose what the file holds at the next save.
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  let values: DemoValues = { products: {}, changes: {}, ...parseValues(text, file) };
  return {
    file,
    get values() {
      return values;
    },
    async save(changed) {
      values = { ...values, ...changed };
      await writeFile(`${file}.new`, `${JSON.stringify(values, null, 2)}\n`, { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
  };
}

function parseValues(text: string, file: string): Partial<DemoValues> {
  try {
    return JSON.parse(text) as Partial<DemoValues>;
  } catch {
    throw new Error(`${file} is damaged. Delete it, and pass an API token of the root user in DEMO_TOKEN.`);
  }
}

/** A Change belongs to one Product and one issue text. */
export const toChangeKey = (product: string, { title, body }: { title: string; body: string }): string =>
  `${product}/${createHash('sha256').update(`${title}\0${body}`).digest('hex').slice(0, 16)}`;
