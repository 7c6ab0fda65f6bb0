import { basename, dirname } from 'node:path';

/** The histories replay every workflow with the current code. */
const replay = 'test/histories/replay.test.ts';
const operations = 'test/api/operations.test.ts';

/** Returns the tests near a source file, in the groups in which they run: the mirrored file, then the rest of its folder. */
export function nearTests(file: string, tests: readonly string[]): string[][] {
  const mirrored = `test/${file.replace(/^src\//, '').replace(/\.(ts|mjs)$/, '.test.ts')}`;
  const folder = dirname(mirrored);
  const isBelow = folder.split('/').length > 2;
  const feature = tests.filter(
    (test) =>
      test !== mirrored &&
      // The test of `store/sqlite.ts` is also about the folder `store/sqlite`.
      (isBelow ? test.startsWith(`${folder}/`) || test === `${folder}.test.ts` : dirname(test) === folder),
  );
  const last = file.startsWith('workflows/') ? [replay] : file.startsWith('api/') ? [operations] : [];
  // A fixture of the folder that is named for the file says that the test is about it.
  const [named, others] = partition(feature, (test) => sharesWord(basename(test), basename(file)));
  return [tests.filter((test) => test === mirrored), named, [...others, ...last]].filter(({ length }) => length > 0);
}

function sharesWord(one: string, other: string): boolean {
  const words = (name: string): string[] => name.split(/[-.]/).map((word) => word.replace(/s$/, ''));
  const ignored = ['test', 't', 'ts', 'get', 'put', 'list', 'to', 'create', 'delete', 'replace', 'activitie', 'run'];
  return words(one).some((word) => !ignored.includes(word) && words(other).includes(word));
}

const partition = <T>(list: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] => [
  list.filter(isFirst),
  list.filter((item) => !isFirst(item)),
];
