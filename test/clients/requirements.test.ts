import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { requirements } from './requirements.ts';

const root = join(import.meta.dirname, '../..');

it('names a script and files that exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const missing = [...requirements].filter(
    ([, { script, args }]) => !(script in scripts) || !args.every((path) => existsSync(join(root, path))),
  );
  expect(missing).toEqual([]);
});
