import { readFile, rename, writeFile } from 'node:fs/promises';

/** The progress of a demo, from which the next one on the same data directory resumes. */
export type DemoState = {
  readonly file: string;
  get(key: string): string | undefined;
  set(key: string, value: string): Promise<void>;
};

export async function openDemoState(file: string): Promise<DemoState> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const values = JSON.parse(text) as Record<string, string>;
  return {
    file,
    get: (key) => values[key],
    async set(key, value) {
      values[key] = value;
      await writeFile(`${file}.new`, `${JSON.stringify(values, null, 2)}\n`, { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
  };
}
