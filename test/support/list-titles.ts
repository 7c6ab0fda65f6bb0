import type { SourceFile } from './source-tree.ts';

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** The functions that declare a test or a suite, also with a condition or a table: `it`, `describe.skipIf`, `itWithDex`. */
const declares = /^(it|test|describe)([A-Z]\w*)?$/;

/**
 * Lists the titles of the tests and suites in a file, and the values that a table of tests puts into a title. An attack
 * of the red team is titled by its `name`, or by the first argument of the function in its list that builds it.
 */
export function listTitles({ path, nodes }: Pick<SourceFile, 'path' | 'nodes'>): string[] {
  const isAttack = path.startsWith('test/red-team/');
  return [...nodes()].flatMap((node) => {
    if (node.type === 'CallExpression') return declares.test(getRootName(node)) ? listOwnTitles(node) : [];
    if (!isAttack) return [];
    if (node.type === 'Property' && (node['key'] as { name?: string }).name === 'name')
      return listTexts(node['value'] as Node);
    if (node.type !== 'ArrayExpression') return [];
    return (node['elements'] as Node[])
      .filter(({ type }) => type === 'CallExpression')
      .flatMap((call) => listTexts((call['arguments'] as Node[])[0]));
  });
}

/** `it.each(table)(title)` is a call of a call: the inner one has the table. */
function listOwnTitles(call: Node): string[] {
  const callee = call['callee'] as Node;
  const first = (call['arguments'] as Node[])[0];
  // A table may be `as const`.
  const table = (first?.['expression'] as Node | undefined) ?? first;
  if (isEach(callee) && table?.type === 'ArrayExpression')
    return (table['elements'] as Node[]).flatMap((row) =>
      row.type === 'ArrayExpression' ? (row['elements'] as Node[]).flatMap(listTexts) : listTexts(row),
    );
  return listTexts(first);
}

const isEach = ({ type, property }: Node): boolean =>
  type === 'MemberExpression' && (property as { name?: string }).name === 'each';

function getRootName(node: Node): string {
  const inner = (node['callee'] ?? node['object']) as Node | undefined;
  return inner ? getRootName(inner) : typeof node['name'] === 'string' ? node['name'] : '';
}

function listTexts(node: Node | undefined): string[] {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return [node['value']];
  if (node?.type !== 'TemplateLiteral') return [];
  const quasis = node['quasis'] as { value: { cooked: string } }[];
  return [quasis.map(({ value }) => value.cooked).join('…')];
}
