import { parseSync, visitorKeys } from 'oxc-parser';
import { describingCall, replacementsFor, type Node } from './operators.ts';

/** One small fault in one place. `code` is the line of the source in which it begins. */
export type Mutant = {
  file: string;
  line: number;
  code: string;
  operator: string;
  start: number;
  end: number;
  replacement: string;
};

/** Types and imports have no behaviour. */
const isSkipped = (node: Node): boolean =>
  /^TS(?!AsExpression|NonNullExpression|SatisfiesExpression)/.test(node.type) ||
  /^(Import|Export(All|Default))Declaration$/.test(node.type);

/** Lists every mutant of a source file, in the order of the text. */
export function listMutants(file: string, text: string): Mutant[] {
  const { program } = parseSync(file, text);
  const lines = text.split('\n');
  return walk(program as unknown as Node, text).flatMap((node) =>
    replacementsFor(node, text).map(({ operator, start, end, replacement }) => {
      const line = text.slice(0, start).split('\n').length;
      return { file, line, code: lines[line - 1]?.trim() ?? '', operator, start, end, replacement };
    }),
  );
}

type Position = { isInTry: boolean; isReturned: boolean };

function walk(node: Node, text: string, { isInTry, isReturned }: Position = notReturned): Node[] {
  if (isSkipped(node)) return [];
  const children = (visitorKeys[node.type] ?? []).flatMap((key) => [node[key]].flat());
  const nodes = children.filter((child): child is Node => typeof child === 'object' && child !== null);
  const isWithinTry = (child: Node): boolean => isGuarded(child, node) || (isInTry && !isFunction(node));
  if (node.type === 'CallExpression') {
    const { callee } = node as unknown as { callee: Node };
    const name = text.slice(callee.start, callee.end);
    if (name === 'createRoute') return findRequiredRole(nodes, text);
    if (describingCall.test(name)) return walk(callee, text, { isInTry, isReturned: false });
  }
  // Column titles and examples of a custom resource are text for `kubectl`.
  if (node.type === 'Property' && /^(crd|title|description|summary|example)\b/.test(text.slice(node.start))) return [];
  return [
    node,
    ...nodes.flatMap((child) => {
      const position = { isInTry: isWithinTry(child), isReturned: isResult(child, node, isReturned) };
      const found = walk(child, text, position);
      // Returning a promise is the same as returning what it resolves to, unless a `try` catches the error.
      return child.type === 'AwaitExpression' && position.isReturned && !position.isInTry ? found.slice(1) : found;
    }),
  ];
}

/** An error within the `catch` of a `try` meets only its `finally`. */
const isGuarded = (child: Node, { type, block, finalizer }: Node): boolean =>
  type === 'TryStatement' && (child === block || (finalizer !== null && child !== finalizer));
const isFunction = ({ type }: Node): boolean => /Function/.test(type);
const notReturned: Position = { isInTry: false, isReturned: false };

/** Returns true when the value of the child is the result of the function, as is or as one of several. */
function isResult(child: Node, { type, body, test, right }: Node, isParentReturned: boolean): boolean {
  if (type === 'ReturnStatement') return true;
  if (type === 'ArrowFunctionExpression') return body === child;
  if (!isParentReturned) return false;
  if (type === 'ConditionalExpression') return test !== child;
  if (type === 'LogicalExpression') return right === child;
  return type === 'ParenthesizedExpression' || type === 'TSAsExpression';
}

/** Only the required role of a route is behaviour; the rest of its definition is documentation. */
function findRequiredRole(nodes: Node[], text: string): Node[] {
  const found: Node[] = [];
  const visit = (node: Node): void => {
    if (node.type === 'CallExpression' && text.startsWith('requireRole(', node.start)) found.push(...walk(node, text));
    else
      for (const key of visitorKeys[node.type] ?? [])
        for (const child of [node[key]].flat()) if (child && typeof child === 'object') visit(child as Node);
  };
  nodes.forEach(visit);
  return found;
}

/** Applies a mutant to the text of its file. */
export const applyMutant = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);
