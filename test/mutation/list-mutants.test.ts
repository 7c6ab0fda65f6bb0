import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { readTexts } from '../support/source-tree.ts';
import { applyMutant, listMutants } from './list-mutants.ts';

const list = (text: string): string[] =>
  listMutants('a.ts', text).map((mutant) => `${mutant.operator}: ${applyMutant(text, mutant)}`);

describe('listMutants', () => {
  it.each([
    ['f(x >= y);', 'moved boundary: f((x > y));'],
    ['if (x) return;', 'removed guard: ;'],
    ['if (x) return;', 'negated condition: if (!(x)) return;'],
    ['y = a && b;', 'dropped condition: y = (a);'],
    ['y = a ?? b;', 'dropped default: y = a;'],
    ['await save(x);', 'removed call: ;'],
    ['await save(x);', 'removed await: (save(x));'],
    ['f(one, two);', 'swapped arguments: f(two, one);'],
    ['y = { ...(a && { a }) };', 'dropped field: y = { ...{} };'],
    ['y = list.filter(f);', 'dropped .filter(): y = list;'],
    ['CancellationScope.nonCancellable(() => f());', 'dropped nonCancellable: (() => f())();'],
    [
      "createRoute({ summary: x ? 'a' : 'b', ...requireRole('org-admin') });",
      "lowered role: createRoute({ summary: x ? 'a' : 'b', ...requireRole('member') });",
    ],
  ])('finds in %s the fault %s', (text, expected) => {
    expect(list(text)).toContain(expected);
  });

  it('leaves an await alone whose promise is returned, unless a try needs it', () => {
    expect(list('async () => { return await f(); };')).toEqual([]);
    expect(list('async () => await f();')).toEqual([]);
    expect(list('async () => { try { return await f(); } catch {} };')).toEqual([
      'removed await: async () => { try { return (f()); } catch {} };',
    ]);
    expect(list('async () => { try { g(async () => await f()); } catch {} };')).not.toContainEqual(
      expect.stringContaining('removed await'),
    );
  });

  it.each([
    ['async () => { return (await f()) as A; };', 0],
    ['async (a) => (a ? await f() : await g());', 0],
    ['async (a) => a && (await f());', 0],
    ['async (a) => (await f()) && a;', 1],
    ['async (a) => ((await f()) ? a : b);', 1],
    ['async () => { return g(await f()); };', 1],
    ['async () => { try { g(); } catch { return await f(); } };', 0],
    ['async () => { try { g(); } catch { return await f(); } finally { h(); } };', 1],
    ['async () => { try { try { g(); } catch { return await f(); } } catch {} };', 1],
  ])('finds in %s %i awaits whose result is used', (text, count) => {
    expect(list(text).filter((fault) => fault.startsWith('removed await'))).toHaveLength(count);
  });

  it('leaves types, documentation and log lines alone', () => {
    expect(
      list(
        'type A = 1 | 2; log.info({ a: b ?? c }); z.openapi({ example: 1 }); const d = z\n.openapi({ default: 0 }); const r = { crd: { n: 1 } }; const dayMs = 24 * 60 * 60_000;',
      ),
    ).toEqual([]);
  });

  it('changes the handlers of operations, and not their definitions', () => {
    expect(list('app.openapi(route, async (c) => f(a ?? b));')).toContain(
      'dropped default: app.openapi(route, async (c) => f(a));',
    );
  });

  it('writes programs that parse', async () => {
    const sources = await readTexts('{src/rules,src/reconcile,workflows/releases,api/changes}/**/*.ts');
    const broken = sources.flatMap(({ path, text }) =>
      listMutants(path, text).filter((mutant) => parseSync(path, applyMutant(text, mutant)).errors.length > 0),
    );
    expect(broken).toEqual([]);
  }, 60_000);
});
