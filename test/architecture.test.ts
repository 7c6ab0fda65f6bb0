import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

type Import = { from: string; to: string };
let imports: Import[] = [];

/** What each room may import values from; types may always cross. */
const rooms: [room: RegExp, allowed: RegExp][] = [
  [/^src\/(errors|config|in-turn)\.ts$/, /^zod$/],
  [/^src\/rules\//, /^(src\/(rules\/|errors\.ts$)|(?!node:|@)[a-z]|@hono\/zod-openapi$|node:crypto$)/],
  [/^src\/store\//, /^src\/(store|rules|errors|in-turn)/],
  [/^src\/integrations\//, /^src\/(integrations|rules|errors)/],
  [/^workflows\//, /^(workflows|src\/rules)\//],
  [/^activities\//, /^(activities\/|src\/(errors|in-turn|rules|store|integrations))/],
  [
    /^api\//,
    /^(api\/|src\/(errors|rules|store|integrations)|workflows\/(.+\/messages|task-queues|search-attributes)\.ts$)/,
  ],
  [/^src\/local\//, /^src\/(local\/|store\/|in-turn)/],
  [/^src\/clients\//, /^src\/clients\//],
  [/^src\/main\//, /^(?!test\/)/],
];
const ours = /^(src|api|workflows|activities|test)\//;

async function sources(): Promise<string[]> {
  const patterns = ['{src,api,workflows,activities}/**/*.{ts,mjs}'];
  const files = await Array.fromAsync(glob(patterns, { cwd: root, exclude: ['src/local/sample/**'] }));
  return files.filter((file) => !file.endsWith('.d.mts')).toSorted();
}

/** The imports of a file that are still there at run time. */
async function valueImports(file: string): Promise<Import[]> {
  const { module, errors } = parseSync(file, await readFile(join(root, file), 'utf8'));
  expect(errors, file).toEqual([]);
  const here = posix.dirname(file);
  const resolve = (specifier: string): string =>
    specifier.startsWith('.') ? posix.normalize(posix.join(here, specifier)) : specifier;
  const statics = module.staticImports.filter(
    ({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType),
  );
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.filter(({ isType }) => !isType).flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
  );
  return [...statics.map(({ moduleRequest }) => moduleRequest.value), ...exported].map((specifier) => ({
    from: file,
    to: resolve(specifier),
  }));
}

const shown = (found: Import[]): string[] => found.map(({ from, to }) => `${from} → ${to}`);

beforeAll(async () => {
  imports = (await Promise.all((await sources()).map(valueImports))).flat();
});

describe('the map of the house', () => {
  it.each(rooms)('%s imports only what the map allows', (room, allowed) => {
    const wrong = imports.filter(
      ({ from, to }) =>
        room.test(from) && (ours.test(to) || /^src\/(rules|errors|config|in-turn)/.test(from)) && !allowed.test(to),
    );
    expect(shown(wrong)).toEqual([]);
  });

  it('integrations do not know each other', () => {
    const system = (file: string): string => file.split('/')[2] ?? '';
    const wrong = imports.filter(
      ({ from, to }) =>
        from.startsWith('src/integrations/') && to.startsWith('src/integrations/') && system(from) !== system(to),
    );
    expect(shown(wrong)).toEqual([]);
  });

  it('workflows know nothing of Node, and rules nothing that has effects', () => {
    const wrong = imports.filter(({ from, to }) => from.startsWith('workflows/') && /^(node:|zod$|@hono)/.test(to));
    const effects = imports.filter(({ from, to }) => from.startsWith('src/rules/') && /^node:(?!crypto)/.test(to));
    expect(shown([...wrong, ...effects])).toEqual([]);
  });

  it('nobody imports a program', () => {
    expect(
      shown(imports.filter(({ from, to }) => to.startsWith('src/main/') && !from.startsWith('src/main/'))),
    ).toEqual([]);
  });

  it('no file leads back to itself', () => {
    const next = Map.groupBy(imports, ({ from }) => from);
    const done = new Set<string>();
    const walk = (file: string, path: string[]): string[] => {
      if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' → ')];
      if (done.has(file)) return [];
      const found = (next.get(file) ?? []).flatMap(({ to }) => walk(to, [...path, file]));
      done.add(file);
      return found;
    };
    expect([...next.keys()].flatMap((file) => walk(file, []))).toEqual([]);
  });

  it('only programs and the configuration read the environment', async () => {
    const files = (await sources()).filter((file) => !/^src\/(main|clients|local)\//.test(file));
    const texts = await Promise.all(
      files.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const),
    );
    expect(texts.filter(([, text]) => text.includes('process.env')).map(([file]) => file)).toEqual([]);
  });
});

describe('what is written about the house', () => {
  it('every room has a README of at most 40 lines, and the first page names only what is there', async () => {
    const named = [
      'src/rules',
      'workflows',
      'activities',
      'api',
      'src/store',
      'src/integrations',
      'src/local',
      'src/clients',
      'src/main',
      'test',
    ];
    for (const room of named) {
      const text = await readFile(join(root, room, 'README.md'), 'utf8');
      expect(text.trimEnd().split('\n').length, room).toBeLessThanOrEqual(40);
    }
    const readmes = await Array.fromAsync(
      glob(['README.md', '{src,api,workflows,activities,test}/**/README.md'], {
        cwd: root,
        exclude: ['src/local/sample/**'],
      }),
    );
    for (const readme of readmes) {
      const text = await readFile(join(root, readme), 'utf8');
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, link = '']) =>
        join(dirname(readme), link),
      );
      const paths = [...text.matchAll(/`((?:src|api|workflows|activities|test|deploy)\/[\w./-]+\.\w+)`/g)].map(
        ([, path = '']) => path,
      );
      expect(
        [...links, ...paths].filter((path) => !existsSync(join(root, path))),
        readme,
      ).toEqual([]);
    }
  });
});
