import { compareVersions } from '../../src/rules/releases/next-version.ts';

export const findNewestVersion = (versions: readonly (string | undefined)[]): string | undefined =>
  versions
    .filter((version) => version !== undefined)
    .toSorted(compareVersions)
    .at(-1);
