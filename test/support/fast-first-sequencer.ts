import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The folders of test/ in the order in which they run: a mistake in a pure function shows within seconds. The short
 * files of the workflows run last and keep all processors busy until the end.
 */
const folders = [
  'architecture',
  'config',
  'errors',
  'defined',
  'processes',
  'rules',
  'kinds',
  'store',
  'reconcile',
  'api',
  'integrations',
  'emulators',
  'main',
  'clients',
  'activities',
  'histories',
  'workflows',
];

/** Runs fast folders first and, within a folder, the files that took longest last time first. */
export default class FastFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byDuration = await super.sort(files);
    return byDuration.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  const [, first = ''] = relative(project.config.root, moduleId).split('/');
  const index = folders.indexOf(first.replace(/\.test\.ts$/, ''));
  return index === -1 ? folders.length : index;
}
