import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApi } from './support/start-api.ts';
import { listTitles } from './support/list-titles.ts';
import { listFiles, readSources, readTexts, type Import, type SourceFile } from './support/source-tree.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The folders that a file may import values from; types may cross every border, but never in a circle. */
const importRules: [folder: RegExp, allowed: RegExp][] = [
  [/^src\/(errors|keyed-queue|defined|read-start)\.ts$/, /^zod$/],
  [/^src\/config(\.ts$|\/)/, /^(zod$|src\/(config|rules\/network)\/)/],
  [/^src\/kinds\//, /^(src\/(kinds\/|errors\.ts$)|(?!node:|@)[a-z]|@hono\/zod-openapi$)/],
  [
    /^src\/rules\//,
    /^(src\/(rules\/|kinds\/|(errors|defined)\.ts$)|(?!node:|@)[a-z]|@hono\/zod-openapi$|@prometheus-io\/lezer-promql$|node:crypto$)/,
  ],
  [/^src\/store\//, /^src\/(store|rules|kinds|errors|keyed-queue|defined|read-start)/],
  [/^src\/processes\//, /^src\/processes\//],
  [/^src\/integrations\//, /^src\/(integrations|rules|kinds|errors|defined|read-start|processes)/],
  [/^workflows\//, /^(workflows\/|src\/(rules\/|(errors|defined)\.ts$))/],
  [/^activities\//, /^(activities\/|src\/(errors|keyed-queue|defined|rules|kinds|store|integrations|processes))/],
  [
    /^src\/reconcile\//,
    /^(src\/(reconcile|rules|kinds|store|errors|keyed-queue|defined|integrations\/temporal)|workflows\/(.+\/messages|workflow-start|task-queues|search-attributes)\.ts$)/,
  ],
  [
    /^api\//,
    /^(api\/|src\/(errors|defined|rules|kinds|store|reconcile|integrations)|workflows\/(.+\/messages|workflow-start|task-queues|search-attributes)\.ts$)/,
  ],
  [/^src\/gate\//, /^src\/gate\//],
  [/^src\/emulators\//, /^src\/(emulators\/|gate\/|store\/|kinds\/|keyed-queue|processes\/)/],
  [/^src\/clients\//, /^src\/clients\//],
  [/^src\/main\//, /^(?!test\/)/],
];
/** The imperative verbs with which a summary may begin. Add one here when an operation does something new. */
const verb =
  /^(Acknowledge|Add|Approve|Authorize|Cancel|Change|Check|Claim|Commit|Compare|Complete|Connect|Create|Delete|Deny|End|Explain|Find|Freeze|Generate|Get|Give|Guide|Import|Install|Label|List|Open|Promote|Receive|Redeem|Reject|Remove|Replace|Reset|Resolve|Retry|Revoke|Set|Sign|Start|Stream|Suggest|Unfreeze|Update|Upload) /;
type Literal = { type: string; value?: unknown; start: number };
type Named = { name?: string };
const projectFile = /^(src|api|workflows|activities|test)\//;

let product: SourceFile[] = [];
let tests: SourceFile[] = [];
let imports: Import[] = [];

beforeAll(async () => {
  product = await readSources('{src,api,workflows,activities}/**/*.{ts,tsx,mjs}');
  tests = await readSources('test/**/*.{ts,mjs}');
  imports = product.flatMap((file) => file.imports);
}, 120_000);

const shown = (found: Import[]): string[] => found.map(({ from, to }) => `${from} → ${to}`);
const values = (): Import[] => imports.filter(({ isType }) => !isType);
const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

describe('imports', () => {
  it.each(importRules)('%s imports only what its folder may', (folder, allowed) => {
    expect(product.filter(({ path }) => folder.test(path))).not.toEqual([]);
    const wrong = values().filter(
      ({ from, to }) =>
        folder.test(from) &&
        (projectFile.test(to) || /^src\/(kinds|rules|errors|config|keyed-queue|defined)/.test(from)) &&
        !allowed.test(to),
    );
    expect(shown(wrong)).toEqual([]);
  });

  it('keep integrations apart', () => {
    const system = (file: string): string => file.split('/')[2] ?? '';
    const wrong = values().filter(
      ({ from, to }) =>
        from.startsWith('src/integrations/') &&
        to.startsWith('src/integrations/') &&
        ![system(from), 'network'].includes(system(to)),
    );
    expect(shown(wrong)).toEqual([]);
  });

  it('let no feature read the license, which locks nothing', () => {
    const readers = /^(src\/rules\/licensing|api\/licensing|src\/main\/license)\/|^src\/main\/api\/start-api\.ts$/;
    const wrong = values().filter(({ from, to }) => /^(src\/rules|api)\/licensing\//.test(to) && !readers.test(from));
    expect(shown(wrong)).toEqual(['api/app.ts → api/licensing/index.ts']);
    const named = product.filter(({ path, text }) => !readers.test(path) && text.includes('service-license'));
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  it('keep Node out of workflows, and effects out of rules and kinds', () => {
    const wrong = values().filter(({ from, to }) => from.startsWith('workflows/') && /^(node:|zod$|@hono)/.test(to));
    const effects = values().filter(
      ({ from, to }) => /^src\/(rules|kinds)\//.test(from) && /^node:(?!crypto)/.test(to),
    );
    expect(shown([...wrong, ...effects])).toEqual([]);
  });

  it('never lead to a program from outside of src/main', () => {
    expect(
      shown(values().filter(({ from, to }) => to.startsWith('src/main/') && !from.startsWith('src/main/'))),
    ).toEqual([]);
  });

  it('form no circle, type imports included', () => {
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

  it('leave the environment to programs, clients and emulators', () => {
    const readers = product.filter(
      ({ path, text }) => !/^src\/(main|clients|emulators)\//.test(path) && text.includes('process.env'),
    );
    expect(readers.map(({ path }) => path)).toEqual([]);
  });
});

describe('folders', () => {
  it('hold at most 12 files under src/main, and at most 6 at the root of api', async () => {
    const folders = Map.groupBy(await listFiles('src/main/**/*.*'), (file) => dirname(file));
    const full = [...folders].filter(([, files]) => files.length > 12).map(([folder]) => folder);
    expect(full).toEqual([]);
    expect((await listFiles('api/*.*')).length).toBeLessThanOrEqual(6);
  });

  it('have a README of at most 40 lines, and READMEs name only files that exist', async () => {
    const documented = [
      'src/kinds',
      'src/rules',
      'src/reconcile',
      'src/store',
      'src/integrations',
      'src/gate',
      'src/emulators',
      'src/clients',
      'src/main',
      'workflows',
      'activities',
      'api',
      'test',
      'deploy',
    ];
    const readmes = await readTexts('README.md', '{src,api,workflows,activities,test,deploy}/**/README.md');
    expect(documented.filter((folder) => !readmes.some(({ path }) => path === `${folder}/README.md`))).toEqual([]);
    const isLong = ({ path, text }: { path: string; text: string }): boolean =>
      path !== 'README.md' && text.trimEnd().split('\n').length > 40;
    expect(readmes.filter(isLong).map(({ path }) => path)).toEqual([]);
    for (const { path, text } of readmes) {
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, link = '']) => join(dirname(path), link));
      const named = [...text.matchAll(/`((?:src|api|workflows|activities|test|deploy)\/[\w./-]+\.\w+)`/g)];
      const missing = [...links, ...named.map(([, file = '']) => file)].filter((file) => !existsSync(join(root, file)));
      expect(missing, path).toEqual([]);
    }
  });
});

describe('language', () => {
  const opening = /^(What|Who|Whoever|Whom|Whose|Whatever|Of|As|Where|Wherever|How|Those)\b/;
  const banned = new RegExp(
    String.raw`\b(${[
      'whoever',
      'whomever',
      'somebody',
      'nobody',
      'anybody',
      'anew',
      'beside',
      'mend(s|ed|ing)?',
      'thereby',
      'wherein',
      'whereby',
      'whence',
      'hence',
      'thence',
      'therein',
      'thereof',
      'thereupon',
      'hitherto',
      'lest',
      'forthwith',
      'albeit',
      'upon',
      'amongst',
      'whilst',
      'ere',
      'nought',
      'naught',
      'aught',
    ].join('|')})\b`,
    'gi',
  );

  it('begins a comment with its subject', () => {
    const wrong = [...product, ...tests].flatMap(({ comments }) => comments.filter(({ text }) => opening.test(text)));
    expect(wrong.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
  });

  it('uses no archaic word, in code, tests, documents or charts', async () => {
    const files = await readTexts(
      '{src,api,workflows,activities,test}/**/*.{ts,tsx,mjs,md}',
      'deploy/**/*.{yaml,tpl,txt,md,json}',
      '*.{md,yml,json,ts}',
      'Dockerfile',
      '.ci/run',
    );
    const wrong = files
      .filter(({ path }) => !/^(test\/architecture\.test\.ts|package-lock\.json)$/.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(banned)].map(({ 0: word, index }) => `${path}:${lineAt(text, index)} ${word}`),
      );
    expect(wrong).toEqual([]);
  });

  it('names no function with a trailing "Of"', () => {
    const wrong = [...product, ...tests].flatMap(({ path, nodes }) =>
      [...nodes()].flatMap((node) => {
        const isFunction = /^(TS)?(FunctionDeclaration|DeclareFunction)$/.test(node.type);
        const init = node.type === 'VariableDeclarator' ? (node['init'] as { type: string } | null) : null;
        if (!isFunction && !/^(Arrow)?FunctionExpression$/.test(init?.type ?? '')) return [];
        const name = (node['id'] as { name?: string } | null)?.name ?? '';
        return /[a-z]Of$/.test(name) ? [`${path} ${name}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('begins the summary of every operation with a verb', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const { paths } = (await (await request('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string; summary: string }>>;
    };
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    expect(operations.length).toBeGreaterThan(60);
    const wrong = operations.filter(({ summary }) => !verb.test(summary));
    expect(wrong.map(({ operationId, summary }) => `${operationId}: ${summary}`)).toEqual([]);
  });
});

describe('workflows', () => {
  const messagesFile = /^workflows\/[^/]+\/messages\.ts$/;
  const names = (): Set<string> => {
    const index = product.find(({ path }) => path === 'workflows/index.ts');
    return new Set([...(index?.text ?? '').matchAll(/export \{ (\w+) \}/g)].map(([, name = '']) => name));
  };

  it('have one start builder each, in the messages.ts of their feature', () => {
    expect(names().size).toBeGreaterThan(12);
    const messages = product.filter(({ path }) => messagesFile.test(path)).map(({ text }) => text);
    const missing = [...names()].filter(
      (name) =>
        messages.filter((text) => new RegExp(`export (const|function) ${name}Start\\b`).test(text)).length !== 1,
    );
    expect(missing).toEqual([]);
  });

  it('are named by a string only in their start builder', () => {
    const types = names();
    const wrong = product
      .filter(({ path }) => !messagesFile.test(path))
      .flatMap(({ path, text, nodes }) =>
        [...nodes()]
          .map(({ type, arguments: args, key, value, left, right }) => {
            if (type === 'CallExpression' || type === 'NewExpression') return (args as Literal[])[0];
            if (type === 'BinaryExpression')
              return (left as Named).name === 'workflowType' ? (right as Literal) : undefined;
            const isTypeProperty =
              type === 'Property' && /^(type|workflow|workflowType)$/.test((key as Named).name ?? '');
            return isTypeProperty ? (value as Literal) : undefined;
          })
          .filter((literal) => literal?.type === 'Literal' && types.has(String(literal.value)))
          .map((literal) => `${path}:${lineAt(text, literal?.start ?? 0)} ${String(literal?.value)}`)
          .concat(/WorkflowType = '\w+'/.exec(text)?.map((query) => `${path} ${query}`) ?? []),
      );
    expect(wrong).toEqual([]);
  });

  it('have messages that end in Signal, Update or Query', () => {
    const ending = { defineSignal: 'Signal', defineUpdate: 'Update', defineQuery: 'Query' };
    const wrong = product.flatMap(({ path, text }) =>
      [...text.matchAll(/const (\w+) = (defineSignal|defineUpdate|defineQuery)\b/g)]
        .filter(([, name, define]) => !name?.endsWith(ending[define as keyof typeof ending]))
        .map(([, name]) => `${path} ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('tests', () => {
  /** Files without behaviour of their own: tables of contents, schemas, shared types and constants. */
  const withoutBehaviour = /\/(index|messages|schemas|kinds|deps|timestamp)\.ts$|\.d\.mts$/;

  it('exist for every file of workflows, activities and rules that exports a function or a class', () => {
    const has = new Set(tests.map(({ path }) => path));
    const exportsBehaviour = /export (async )?(function|class) |export const \w+ =\s*(async )?(<[^>]*>)?\(/;
    const mirrored = product.filter(
      ({ path, text }) =>
        /^(workflows|activities|src\/rules)\//.test(path) &&
        !withoutBehaviour.test(path) &&
        exportsBehaviour.test(text),
    );
    expect(mirrored.length).toBeGreaterThan(200);
    const missing = mirrored
      .map(({ path }) => `test/${path.replace(/^src\//, '').replace(/\.ts$/, '.test.ts')}`)
      .filter((path) => !has.has(path));
    expect(missing).toEqual([]);
  });

  it('describe every operation by its operationId, in the folder of its feature', () => {
    const wrong = product.flatMap(({ path, text }) => {
      const operationId = /operationId: '(\w+)'/.exec(text)?.[1];
      if (!path.startsWith('api/') || operationId === undefined) return [];
      const folder = `test/${path.split('/').slice(0, 2).join('/')}/`;
      const described = tests.some(
        (test) => test.path.startsWith(folder) && test.text.includes(`describe('${operationId}'`),
      );
      return described ? [] : [`${folder} ${operationId}`];
    });
    expect(wrong).toEqual([]);
  });

  it('exist for every threat and default of deploy/SECURITY.md, by file and by a part of the title', async () => {
    const threats = await readSecurityRows('Threats, defences, tests');
    const defaults = await readSecurityRows('Secure defaults');
    expect(threats.length).toBeGreaterThan(70);
    expect(defaults.length).toBeGreaterThan(15);
    const rows = [...threats, ...defaults];
    expect(new Set(rows.map(([what]) => what)).size).toBe(rows.length);
    const titles = new Map(tests.map((file) => [file.path, () => listTitles(file)]));
    const missing = rows.flatMap(([what, ...cells]) =>
      (cells.at(-1) ?? '').split('; ').flatMap((cited) => {
        const [, path = '', name = ''] = /^`(test\/\S+\.ts) › (.+)`$/.exec(cited) ?? [];
        const isTitle =
          name !== '' &&
          titles
            .get(path)?.()
            .some((title) => title.includes(name));
        return isTitle ? [] : [`${what}: ${cited}`];
      }),
    );
    expect(missing).toEqual([]);
  });

  it('let deploy/SECURITY.md accept at most eight risks, each with its reason', async () => {
    const risks = await readSecurityRows('Accepted risks');
    expect(risks.length).toBeGreaterThan(0);
    expect(risks.length).toBeLessThanOrEqual(8);
    expect(risks.filter(([, reason = '']) => reason === '')).toEqual([]);
  });

  /** Reads the cells of all tables below a heading, without the heads of the tables. */
  async function readSecurityRows(heading: string): Promise<string[][]> {
    const [{ text } = { text: '' }] = await readTexts('deploy/SECURITY.md');
    const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
    const rows = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) =>
      row.split(' | ').map((cell) => cell.trim()),
    );
    return rows.filter(([first = ''], at) => !/^-+$/.test(first) && !/^-+$/.test(rows[at + 1]?.[0] ?? ''));
  }
});
