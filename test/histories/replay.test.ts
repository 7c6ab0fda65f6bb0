import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import * as workflows from '../../workflows/index.ts';
import { replay, type Recorded } from '../support/workflow-world.ts';

const files = await Array.fromAsync(glob('*.json', { cwd: import.meta.dirname }));
const recorded = await Promise.all(
  files.map(async (name) => {
    const text = await readFile(new URL(name, import.meta.url), 'utf8');
    return { name, ...(JSON.parse(text) as Pick<Recorded, 'workflowId' | 'history'>) };
  }),
);
const typeOf = ({ history }: Pick<Recorded, 'history'>): string | null | undefined =>
  history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;

describe('recorded histories', () => {
  it('are there for every workflow', () => {
    const types = new Set(recorded.map(typeOf));
    expect(Object.keys(workflows).filter((name) => !types.has(name))).toEqual([]);
  });

  it.each(recorded)('replay: $name', async (one) => {
    await replay([one]);
  });
});
